"""The part of Tacit about candidates."""
