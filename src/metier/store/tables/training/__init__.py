"""The part of Metier about training."""
