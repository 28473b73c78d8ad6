"""The part of Tacit about statistics."""
