"""The part of Metier about embedding."""
