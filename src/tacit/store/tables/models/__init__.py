"""The part of Tacit about models."""
