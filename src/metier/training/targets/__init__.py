"""The part of Metier about targets."""
