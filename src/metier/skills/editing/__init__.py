"""The part of Metier about editing."""
