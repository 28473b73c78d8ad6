"""The part of Tacit about execution."""
