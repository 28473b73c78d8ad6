"""The part of Metier about rollouts."""
