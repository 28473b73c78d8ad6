"""The part of Metier about statistics."""
