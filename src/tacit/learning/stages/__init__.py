"""The part of Tacit about stages."""
