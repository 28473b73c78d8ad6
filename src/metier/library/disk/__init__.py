"""The part of Metier about disk."""
