"""The part of Metier about hooks."""
