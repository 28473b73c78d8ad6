"""The text that an agent gets: chosen skills cut to a token budget and rendered.

Begin with `assemble.py`, then `render.py`. This folder imports `skills`, `candidates` and the types of selection; it
reads no files and no clock.
"""
