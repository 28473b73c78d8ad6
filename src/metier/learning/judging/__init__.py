"""The part of Metier about judging."""
