"""The part of Tacit about claude code."""
