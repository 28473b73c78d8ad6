"""The part of Tacit about prompt injection."""
