"""The part of Tacit about cases."""
