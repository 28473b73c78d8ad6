"""An entry of the audit log."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """Who did what to which thing, when and why."""

    happened: str
    actor: str
    action: str
    subject: str
    reason: str = ""
    sequence: int = 0
    previous: str = ""
    hash: str = ""
    workspace: str = ""
    """Empty in entries from before it was noted."""
    way: str = ""
    """How a yes came: `terminal`, `dashboard` or `program`; empty: it is no yes."""
    seen: str = ""
    """What of a coding agent was seen around a yes: names of variables and programs."""
