"""The part of Metier about layers."""
