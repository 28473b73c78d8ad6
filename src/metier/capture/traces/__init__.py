"""The part of Metier about traces."""
