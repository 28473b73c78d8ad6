"""What a pattern teaches, written as a proposed change to one skill.

Begin with `heuristic.py` and `by_model.py` (the two drafters), then `proposal.py`. This folder is pure: it
imports `skills`, `models`, `text` and `procedures/`, and neither the store nor an opened workspace.
"""
