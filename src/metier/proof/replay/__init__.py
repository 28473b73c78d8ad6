"""Replay: runs that can be checked become cases, and a draft is judged with and without on those a person accepted.

Begin with `mine.py` (from a run to a case), then `cases.py` (build, review) and `gate.py` (with and without, paired).
"""
