"""The part of Tacit about commands."""
