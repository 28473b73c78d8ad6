"""The part of Metier about drafting."""
