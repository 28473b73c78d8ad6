"""The part of Tacit about others."""
