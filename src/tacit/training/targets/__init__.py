"""The part of Tacit about targets."""
