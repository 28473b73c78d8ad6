"""The part of Tacit about disk."""
