"""The part of Metier about worth."""
