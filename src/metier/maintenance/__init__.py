"""The part of Metier about maintenance."""
