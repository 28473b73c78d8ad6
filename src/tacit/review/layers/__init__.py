"""The part of Tacit about layers."""
