"""The part of Tacit about supply chain."""
