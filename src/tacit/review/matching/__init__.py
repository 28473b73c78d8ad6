"""The part of Tacit about matching."""
