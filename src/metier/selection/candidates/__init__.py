"""The skills that can be selected: the catalogue, who is eligible, what the search finds, what passes review.

Begin with `skill_pool.py`, which holds the skills of an open workspace in memory, then `eligibility.py` and
`retrieve.py`. This folder imports `index`, `choosing`, `library` and `store`.
"""
