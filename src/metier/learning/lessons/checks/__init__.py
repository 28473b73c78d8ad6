"""Checks: a lesson that names a command or a path, as a test on what agents do.

Begin with `make.py` (from a line to a check), then `hold.py` (one call against a check) and `tally.py` (many calls).
Command lines are parsed, never matched: `git add .github` is not `git add .`.
"""
