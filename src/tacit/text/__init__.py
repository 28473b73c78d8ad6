"""The part of Tacit about text."""
