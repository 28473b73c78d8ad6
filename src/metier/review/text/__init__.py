"""Texts as review sees them: file kinds, views without disguises, tokens.

Begin with `views.py`; it imports `skills` only.
"""
