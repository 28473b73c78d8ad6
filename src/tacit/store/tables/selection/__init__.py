"""The part of Tacit about selection."""
