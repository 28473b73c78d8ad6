"""The coding agents of this machine: finding them, connecting them to Metier, and undoing that.

Begin with `plan.py` (what would be written), then `connect.py` (write it, undo it). `plugin/` is the plugin itself, as
agents load it. This folder knows no workspace: it may import `config`, `hooks` and what is below them.
"""
