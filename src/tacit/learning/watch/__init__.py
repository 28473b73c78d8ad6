"""The part of Tacit about watch."""
