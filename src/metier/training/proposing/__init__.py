"""Proposing: from rollouts to a candidate. Begin with `propose.py`; imports no service."""
