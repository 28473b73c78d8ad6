"""The part of Tacit about proposing."""
