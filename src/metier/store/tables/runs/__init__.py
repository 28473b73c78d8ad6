"""The part of Metier about recording."""
