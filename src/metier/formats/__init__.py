"""The part of Metier about formats."""
