"""A workspace's way to models: which one is asked (begin with `access`), through which layers, and what was spent."""
