"""Intervals, tests and power on scored cases: begin with `intervals.py` and `signflip.py`. It imports `types` only."""
