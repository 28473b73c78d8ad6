"""The part of Tacit about clustering."""
