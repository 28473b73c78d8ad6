"""The part of Metier about gates."""
