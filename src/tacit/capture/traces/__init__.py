"""The part of Tacit about traces."""
