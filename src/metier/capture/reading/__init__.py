"""The part of Metier about reading."""
