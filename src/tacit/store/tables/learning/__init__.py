"""The part of Tacit about learning."""
