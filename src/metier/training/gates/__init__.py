"""Gates: who decides about a candidate, on values alone. Begin with `gate.py`; imports no run and no service."""
