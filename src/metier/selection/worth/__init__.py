"""What skills are worth: runs are linked to the selections they got, and success with and without a skill is compared.

Begin with `outcomes.py`, then `utility.py` (the arithmetic) and `link_runs.py`. This folder imports `library`, `runs`
and `store`.
"""
