"""The part of Tacit about document."""
