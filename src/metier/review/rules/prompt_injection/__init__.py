"""The part of Metier about prompt injection."""
