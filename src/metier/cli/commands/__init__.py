"""The part of Metier about commands."""
