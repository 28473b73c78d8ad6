"""What a decision is kept under: the same task, library, settings and model need no second one."""

from __future__ import annotations

import json
from dataclasses import asdict
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from metier.selection.types import Settings, Task

FORM = 1
"""Raised when decisions are made in another way, so that earlier ones are not taken for them."""


def memo_key(task: Task, library: str, settings: Settings, decider: str) -> str:
    """The key of a decision; `decider` stands for the model and its prompts, if there is one, and the calibration.

    The day is part of it only where something is left to chance, as only chance depends on it.
    """
    fields = asdict(task)
    if not settings.explore_rate and not settings.withhold_rate:
        del fields["day"]
    parts = [FORM, fields, library, asdict(settings), decider]
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"))
    return "selection:" + sha256(text.encode()).hexdigest()
