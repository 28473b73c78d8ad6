"""Proof: what was learned, measured as far as the runs allow. Three claims that are never mixed:

- *obeyed* (`obeyed.py`): calls violate a rule less often than before; before and after, not causal;
- *came back* (`came_back.py`): the error or correction appeared again after the lesson was given;
- *helps*: only from a randomised trial (`trials/`) or a replay of cases (`replay/`).
"""
