"""The part of Metier about matching."""
