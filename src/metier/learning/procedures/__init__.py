"""What the runs of a pattern have in common: requests, steps, troubles, values.

Begin with `procedure.py`, which puts all of it together. This folder is pure: it imports `text`, `formats` and
`drafting/sanitise.py`, and neither the store nor an opened workspace.
"""
