"""Commands that measure what was learned: `trial.py` and `cases.py`."""
