"""Sources that fit into one file each; a new source goes here.

Begin with `picoclaw.py`, the shortest. A source here imports the rest of `metier.capture` and the foundation.
"""
