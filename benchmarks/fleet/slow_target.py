"""A target of `fleet.py` that workers import: it takes as long as a model."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from metier.types.trials import Case

SECONDS = 0.25


def solve(case: Case, skill: str) -> str:  # noqa: ARG001
    """The right answer, after a while."""
    time.sleep(SECONDS)
    return case.expected
