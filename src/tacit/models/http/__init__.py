"""The part of Tacit about http."""
