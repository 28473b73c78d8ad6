"""The part of Metier about world."""
