"""The part of Metier about candidates."""
