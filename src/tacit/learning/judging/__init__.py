"""The part of Tacit about judging."""
