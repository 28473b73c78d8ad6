"""The part of Tacit about versions."""
