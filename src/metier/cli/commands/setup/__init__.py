"""Commands that set a workspace up and look after it; begin with `init.py`.

Init, connect, config, backup, restore, doctor. It imports what every command may.
"""
