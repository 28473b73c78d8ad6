"""The part of Metier about watch."""
