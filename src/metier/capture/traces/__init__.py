"""The sources `otel` and `openinference`: files of spans become runs.

Begin with `source.py`, then `trace_runs.py`. This folder imports the rest of `metier.capture` and the foundation.
"""
