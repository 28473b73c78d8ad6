"""The part of Tacit about report."""
