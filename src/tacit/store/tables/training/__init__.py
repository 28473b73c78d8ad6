"""The part of Tacit about training."""
