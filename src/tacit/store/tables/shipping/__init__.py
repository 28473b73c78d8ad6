"""The part of Tacit about shipping."""
