"""Commands that set a workspace up and look after it; begin with `state.py` (`metier init`).

Init, connect, config, backup, restore, doctor. It imports what every command may.
"""
