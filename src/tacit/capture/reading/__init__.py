"""The part of Tacit about reading."""
