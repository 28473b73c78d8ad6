"""Rollouts: made once, side by side, counted. Begin with `rollout.py`; imports no service."""
