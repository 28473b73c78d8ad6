"""The part of Metier about service."""
