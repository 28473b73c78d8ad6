"""`metier watch`: repeats the pass of learning whenever one is due.

Begin with `schedule.py` (when a pass is due), then `one_workspace.py` and `watch.py` (all workspaces, one thread each).
This folder imports `learn.py`, `context` and the store.
"""
