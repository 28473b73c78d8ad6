"""The part of Metier about proposing."""
