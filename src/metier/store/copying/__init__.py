"""A whole store, copied into an empty one. Begin with `copy.py`."""
