"""The part of Tacit about worth."""
