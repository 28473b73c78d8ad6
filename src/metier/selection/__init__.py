"""The right skills for a run: `values.py` has the words, `choosing.py` decides, `rendering.py` tells the agent."""
