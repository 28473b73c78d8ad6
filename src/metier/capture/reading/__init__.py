"""Tools for reading other programs' files: lines, JSON fields, messages, and the builders of runs.

Begin with `lines.py`. This folder imports `metier.capture.source` and the foundation.
"""
