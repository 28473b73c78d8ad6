"""How approved lessons reach agents: one channel each.

Begin with `channels.py` (which lesson goes which way), then `notes_file.py` (what hooks read) and `published.py` (the
marked block in AGENTS.md or CLAUDE.md).
"""
