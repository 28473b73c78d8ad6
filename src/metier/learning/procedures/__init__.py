"""The part of Metier about procedures."""
