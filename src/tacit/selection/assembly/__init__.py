"""The part of Tacit about assembly."""
