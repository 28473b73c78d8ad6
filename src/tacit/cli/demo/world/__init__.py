"""The part of Tacit about world."""
