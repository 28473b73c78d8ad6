"""The one way to call a model: `model.py` has the seam, `stack.py` puts a whole one together."""
