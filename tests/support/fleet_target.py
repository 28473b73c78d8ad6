"""A target that other processes can name: it notes what it was asked, takes a while, and answers as the world does.

FLEET_NOTES is the file that survives a kill, FLEET_SECONDS how long an answer takes.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from train_world import solve

if TYPE_CHECKING:
    from metier.types.trials import Case


def solve_slowly(case: Case, skill: str) -> str:
    """What the agent of the world answers, in the end."""
    if notes := os.environ.get("FLEET_NOTES"):
        with open(notes, "a", encoding="utf-8") as file:
            file.write(f"{os.getpid()} {case.id} {len(skill)}\n")
    time.sleep(float(os.environ.get("FLEET_SECONDS", "0")))
    return solve(case, skill)
