"""What commands say of sessions that a program started: how many were left out, and which setting lets them in."""

from __future__ import annotations

from metier.text.counts import plural

INCLUDE = "metier config set record_headless true"


def left_out_text(count: int) -> str:
    """So many sessions that a program started."""
    return f"{plural(count, 'session')} that a program started (claude -p, codex exec)"
