"""The part of Metier about http."""
