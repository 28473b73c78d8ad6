"""The part of Metier about supply chain."""
