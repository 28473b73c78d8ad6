"""What stands around a model, one concern in each file: begin with `stack.py`, which puts them in order.

It imports `models` and what is below.
"""
