"""The part of Metier about wire."""
