"""The part of Metier about proposals."""
