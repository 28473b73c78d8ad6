"""Runs put into groups of one meaning, with a model or by nearness.

Begin with `clusterer.py` (the seam and both ways), then `by_model.py` and `placement.py`. This folder is pure: it
imports `models`, `text` and `procedures/`, and neither the store nor an opened workspace.
"""
