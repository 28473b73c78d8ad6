"""The part of Tacit about gates."""
