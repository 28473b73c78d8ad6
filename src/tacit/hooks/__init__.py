"""The part of Tacit about hooks."""
