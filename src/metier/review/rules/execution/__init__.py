"""The part of Metier about execution."""
