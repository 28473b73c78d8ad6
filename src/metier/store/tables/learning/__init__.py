"""The part of Metier about learning."""
