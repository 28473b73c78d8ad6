"""Lessons from sessions: what a person would want the agent to know next time, one line each.

Begin with `session/` (what one session shows), then `remedies.py` and `facts.py`, which look at all sessions;
`aggregate.py` makes lessons of it and puts the few best first, `vetting.py` says which may be shown. All of it is
pure; `stages/learn_lessons.py` reads and saves.
"""
