"""The part of Tacit about engines."""
