"""The part of Tacit about rules."""
