"""Trials: half of the sessions go without a skill, a keyed hash says which, and the outcomes are compared.

Begin with `trials.py` (start, stop, settle), then `plan.py` (how long it takes) and `due.py` (whose sessions).
"""
