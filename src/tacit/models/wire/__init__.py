"""The part of Tacit about wire."""
