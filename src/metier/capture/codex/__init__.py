"""The source `codex`: Codex's rollout files become runs.

Begin with `source.py`, then `rollout.py`. This folder imports the rest of `metier.capture` and the foundation.
"""
