"""What one attempt at a task did otherwise than another: shown where one went well and the other went wrong."""

from __future__ import annotations

from difflib import unified_diff
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from metier.types.trials import Rollout

LINES = 400
"""Lines of an attempt that are compared; the time it takes grows faster than their number."""
AROUND = 1
"""Lines on either side of a difference that are shown with it."""


def difference(well: Rollout, wrong: Rollout) -> str:
    """The lines that only the attempt that went wrong has (-), and only the one that went well (+); empty: none."""
    before, after = _lines(wrong), _lines(well)
    found = tuple(unified_diff(before, after, "went wrong", "went well", lineterm="", n=AROUND))
    return "\n".join(found)


def _lines(rollout: Rollout) -> list[str]:
    return f"{rollout.trace}\n{rollout.output}".strip().splitlines()[:LINES]
