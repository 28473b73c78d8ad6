"""The part of Tacit about recording."""
