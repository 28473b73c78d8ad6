"""The part of Metier about clustering."""
