"""The part of Metier about report."""
