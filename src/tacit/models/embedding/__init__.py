"""The part of Tacit about embedding."""
