"""Runs that failed for a reason outside the work: they say nothing about a skill."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from metier.types import Run

_OUTAGE = re.compile(
    r"api error|overloaded|rate.?limit|usage limit|too many requests|quota|credit balance|connection (?:error|reset|"
    r"refused|closed)|timed? ?out|service unavailable|bad gateway|internal server error|\b(?:401|403|429|5\d\d)\b"
    r"|not logged in|invalid api key|authentication",
    re.IGNORECASE,
)


def failed_outside(run: Run) -> str:
    """Why a run failed for a reason outside the work; empty: it did not, or somebody has said how it went."""
    if run.outcome is not None or run.correction:
        return ""
    if run.status == "error" and (not run.output.strip() or _OUTAGE.search(run.output[:2_000])):
        return "the agent or its model could not be reached"
    if run.status == "aborted" and not run.output.strip() and not run.tools:
        return "it was stopped before anything was done"
    return ""
