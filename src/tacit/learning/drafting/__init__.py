"""The part of Tacit about drafting."""
