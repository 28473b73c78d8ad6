"""The part of Metier about versions."""
