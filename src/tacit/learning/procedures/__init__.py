"""The part of Tacit about procedures."""
