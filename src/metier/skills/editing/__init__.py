"""Changes to a skill's text: begin with `edits.py` (bounded edits) and `compose.py` (what a draft makes of a skill).

It imports `skills/document`.
"""
