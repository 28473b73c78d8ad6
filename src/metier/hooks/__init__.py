"""The two programs that agents start at every prompt: `record` and `select`.

Begin with `process.py`, which both share. This folder imports the standard library and `metier.redaction.redact_quick`
only, because a hook must end within milliseconds. Every other folder may import it.
"""
