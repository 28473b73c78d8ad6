"""The part of Tacit about editing."""
