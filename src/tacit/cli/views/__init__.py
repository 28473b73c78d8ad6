"""The part of Tacit about views."""
