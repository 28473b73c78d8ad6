"""The retrieved skills in order: cold ones lower, proven ones higher, harmful ones out, the best k kept."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING

from metier.selection.worth.utility import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from metier.selection.types import Scored, Settings
    from metier.selection.worth.utility import Adjustment

NO_RECORD: Mapping[str, Adjustment] = {}


def ranked(
    candidates: Iterable[Scored], settings: Settings, records: Mapping[str, Adjustment] = NO_RECORD
) -> tuple[Scored, ...]:
    """The top k by adjusted score; a name counts once, and of equal scores the names decide."""
    best: dict[str, Scored] = {}
    for candidate in candidates:
        record = records.get(candidate.skill.name, UNKNOWN)
        if record.hurts:
            continue
        one = _adjusted(candidate, settings, record)
        if one.skill.name not in best or one.score > best[one.skill.name].score:
            best[one.skill.name] = one
    return tuple(sorted(best.values(), key=lambda one: (-one.score, one.skill.name))[: settings.top_k])


def _adjusted(candidate: Scored, settings: Settings, record: Adjustment) -> Scored:
    """The candidate with the factors in its score, and among its parts."""
    score = candidate.score if isfinite(candidate.score) else 0.0
    cold = settings.cold_factor if candidate.skill.status == "cold" else 1.0
    changed = [(name, factor) for name, factor in (("cold", cold), ("utility", record.factor)) if factor != 1.0]
    return replace(candidate, score=max(0.0, score) * cold * record.factor, parts=(*candidate.parts, *changed))
