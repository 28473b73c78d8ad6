"""The part of Metier about selection."""
