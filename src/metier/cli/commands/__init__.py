"""The commands, one file per noun or verb; begin with `runs` (a group) or `learn` (one command).

A command opens the workspace, calls one service and prints the result; it may import everything below `cli`.
"""
