"""The source `claude-code`: Claude Code's transcripts become runs.

Begin with `source.py`, then `session.py`. This folder imports the rest of `metier.capture` and the foundation.
"""
