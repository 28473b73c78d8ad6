"""The part of Metier about document."""
