"""The part of Tacit about maintenance."""
