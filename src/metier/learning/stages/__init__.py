"""The part of Metier about stages."""
