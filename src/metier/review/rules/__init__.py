"""The content rules, one table per family."""
