"""The part of Tacit about proposals."""
