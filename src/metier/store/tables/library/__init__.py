"""The part of Metier about shipping."""
