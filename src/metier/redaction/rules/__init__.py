"""The part of Metier about rules."""
