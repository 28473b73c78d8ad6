"""The part of Tacit about tables."""
