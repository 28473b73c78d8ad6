"""The part of Metier about engines."""
