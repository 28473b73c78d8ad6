"""The part of Metier about assembly."""
