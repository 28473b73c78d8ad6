"""The part of Tacit about index."""
