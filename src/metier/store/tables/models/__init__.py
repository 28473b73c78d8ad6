"""The part of Metier about models."""
