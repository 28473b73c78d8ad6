"""The scorer that compares JSON values, whatever their layout."""

from __future__ import annotations

import json
import re
from itertools import zip_longest
from typing import TYPE_CHECKING, cast

from metier.errors import InputError
from metier.training.scoring.scorer import Kind, score_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from metier.formats.strict_json import StrictObject
    from metier.training.scoring.scorer import Judge, Means
    from metier.training.targets.target import Attempt
    from metier.types.trials import Case, Scored

FENCE = re.compile(r"```[a-zA-Z]*[ \t]*\n(.*?)```", re.DOTALL)
DEEPEST = 64
"""Levels of nesting; what is deeper equals nothing."""
_NOTHING = object()


def _json_equal(settings: StrictObject, case: Case) -> Judge:
    subset = settings.truth("subset", default=False)
    wanted = next(_parsed(case.expected), _NOTHING)
    if wanted is _NOTHING:
        raise InputError(f"{settings.where}: the case's 'expected' must be JSON")

    def judge(attempt: Attempt, _: Means) -> Scored:
        agreeing = [_agreement(wanted, found, subset=subset) for found in candidates(attempt.output)]
        right, every = max(agreeing, key=lambda one: one[0] / one[1], default=(0, 1))
        return score_of(right == every, right / every)

    return judge


def candidates(text: str) -> Iterator[object]:
    """The JSON values a text may mean: the whole of it, what stands in a code block, what stands between brackets."""
    yield from _parsed(text)
    for found in FENCE.finditer(text):
        yield from _parsed(found[1])
    for opening, closing in ("{}", "[]"):
        start, end = text.find(opening), text.rfind(closing)
        if 0 <= start < end:
            yield from _parsed(text[start : end + 1])


def _agreement(wanted: object, found: object, *, subset: bool, depth: int = 0) -> tuple[int, int]:
    """How many of the single values agree, and how many there are."""
    pairs = _pairs(wanted, found, subset=subset) if depth < DEEPEST else None
    if pairs is None:
        same = isinstance(wanted, bool) == isinstance(found, bool) and wanted == found
        return int(same and depth < DEEPEST), 1
    parts = [_agreement(one, other, subset=subset, depth=depth + 1) for one, other in pairs]
    return sum(right for right, _ in parts) if parts else 1, sum(every for _, every in parts) or 1


def _pairs(wanted: object, found: object, *, subset: bool) -> list[tuple[object, object]] | None:
    """What to compare inside two values of one kind; None for single values, and for two kinds."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        left, right = cast("dict[str, object]", wanted), cast("dict[str, object]", found)
        keys = left.keys() if subset else left.keys() | right.keys()
        return [(left.get(key, _NOTHING), right.get(key, _NOTHING)) for key in keys]
    if isinstance(wanted, list) and isinstance(found, list):
        return list(zip_longest(cast("list[object]", wanted), cast("list[object]", found), fillvalue=_NOTHING))
    return None


def _parsed(text: str) -> Iterator[object]:
    try:
        yield json.loads(text)
    except (ValueError, RecursionError):
        return


KINDS = {"json-equal": Kind(fields=("subset",), make=_json_equal)}
