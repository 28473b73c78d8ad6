"""Metier's own JSON: `run_json.py` reads and writes a run, `strict_json.py` reads any object strictly.

It imports `types` and `errors`.
"""
