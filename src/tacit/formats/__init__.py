"""The part of Tacit about formats."""
