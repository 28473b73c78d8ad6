"""The part of Metier about cases."""
