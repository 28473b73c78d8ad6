"""The part of Metier about index."""
