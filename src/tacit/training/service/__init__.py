"""The part of Tacit about service."""
