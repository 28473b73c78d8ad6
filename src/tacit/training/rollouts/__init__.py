"""The part of Tacit about rollouts."""
