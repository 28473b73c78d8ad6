"""How many edits a step may make: the learning rate of a text."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, assert_never

if TYPE_CHECKING:
    from metier.training.spec import Spec

Planned = Literal["constant", "linear", "cosine"]


def budget(schedule: Planned, step: int, total: int, *, most: int, least: int) -> int:
    """The edits of a step, counted from 1; halves are rounded to even, and it never falls below `least`.

    A training of one step has nothing to fall towards: it gets the most.
    """
    if schedule == "constant" or total <= 1:
        return most
    share = min(step, total) / total
    match schedule:
        case "linear":
            planned = round(most + (least - most) * share)
        case "cosine":
            planned = round(least + 0.5 * (most - least) * (1 + math.cos(math.pi * share)))
        case _:
            assert_never(schedule)
    return max(least, planned)


def planned_budget(spec: Spec, step: int, total: int, *, bundled: bool = True) -> int | None:
    """The edits a step may make; None where that is left to the model, or where there are no edits to count.

    Where every edit is judged by itself (not `bundled`), all that can be screened are taken up.
    """
    if spec.editing.update == "full_rewrite" or spec.editing.schedule == "autonomous":
        return None
    if spec.editing.update == "patch" and not bundled:
        return spec.gating.screen_edits
    return budget(spec.editing.schedule, step, total, most=spec.editing.max_edits, least=spec.editing.min_edits)


def clamp_budget(asked: int | None, available: int) -> int:
    """What the model said, between nothing and everything; nothing where it did not say."""
    return 0 if asked is None else max(0, min(asked, available))
