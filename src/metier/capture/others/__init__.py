"""The part of Metier about others."""
