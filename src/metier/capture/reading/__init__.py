"""Tools for reading other programs' files: lines, JSON fields, messages, plain conversations.

Begin with `lines.py`. This folder imports `metier.capture.source`, `metier.capture.run_builder` and the foundation.
"""
