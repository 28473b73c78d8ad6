"""The part of Metier about tables."""
