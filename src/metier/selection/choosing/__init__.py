"""The part of Metier about choosing."""
