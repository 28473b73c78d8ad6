"""The part of Metier about claude code."""
