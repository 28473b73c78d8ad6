"""The part of Tacit about choosing."""
