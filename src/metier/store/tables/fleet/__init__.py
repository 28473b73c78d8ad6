"""The part of Metier about fleets."""
