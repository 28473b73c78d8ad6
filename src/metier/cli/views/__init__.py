"""The part of Metier about views."""
