"""The part of Metier about text."""
