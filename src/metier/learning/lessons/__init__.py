"""Lessons from sessions: what a person would want the agent to know next time, one line each.

Begin with `session/` (what one session shows), then `remedies.py`, `facts.py` and `corrections.py`, which look at all
sessions; `aggregate.py` makes lessons of it and `ranking.py` puts the few best first. All of it is pure;
`stages/learn_lessons.py` reads and saves.
"""
