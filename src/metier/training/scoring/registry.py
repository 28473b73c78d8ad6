"""From a case's scorer settings to its judge: every kind by its name, and the combinations of them."""

from __future__ import annotations

import json
from difflib import get_close_matches
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, cast

from metier.errors import InputError
from metier.formats.strict_json import StrictObject
from metier.training.scoring.scorer import Kind, Means, sane, score_of, share
from metier.types.trials import Case, Score, Scored, Unscored

if TYPE_CHECKING:
    from collections.abc import Iterator

    from metier.training.rollouts.rollout import BudgetSpent
    from metier.training.scoring.scorer import Judge
    from metier.training.targets.target import Attempt

MODULES = (
    "text",
    "near",
    "json_equal",
    "world",
    "rubric",
)
"""The modules beside this one that have scorers: each has a table `KINDS`."""
KNOWN = 4096
"""Judges that are kept: a case is scored again and again."""


@lru_cache(maxsize=KNOWN)
def judge_of(case: Case) -> Judge:
    """What scores this case; InputError names the setting that is wrong."""
    return _made(_loaded(case.scorer), "scorer", case)


def settings_of(case: Case) -> Iterator[dict[str, object]]:
    """A case's scorer settings, and those of the scorers they combine."""
    return _settings(_loaded(case.scorer))


def _made(value: object, where: str, case: Case) -> Judge:
    kind = cast("dict[str, object]", value).get("kind") if isinstance(value, dict) else None
    if not isinstance(kind, str) or kind not in KINDS:
        near = get_close_matches(str(kind or ""), KINDS, n=1, cutoff=0.5)
        hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(KINDS)}"
        raise InputError(f"{where}.kind: {json.dumps(kind)[:60]} is not a scorer; {hint}")
    known = KINDS[kind]
    return known.make(StrictObject(cast("object", value), where, ("kind", *known.fields)), case)


def _loaded(text: str) -> object:
    """A scorer's settings; a bare word is a kind without any."""
    if not text.lstrip().startswith("{"):
        return {"kind": text.strip()}
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise InputError('scorer: not JSON; write for example {"kind": "exact"}') from None


def _settings(value: object) -> Iterator[dict[str, object]]:
    if isinstance(value, dict):
        fields = cast("dict[str, object]", value)
        yield fields
        inner = fields.get("of", ())
        for part in cast("list[object]", inner) if isinstance(inner, list) else ():
            yield from _settings(part)


def _parts(settings: StrictObject, case: Case) -> tuple[Judge, ...]:
    made = settings.each("of", lambda value, where: _made(value, where, case))
    if not made:
        raise InputError(f"{settings.where}.of: missing; list the scorers to combine")
    return made


def _all(settings: StrictObject, case: Case) -> Judge:
    parts = _parts(settings, case)

    def judge(attempt: Attempt, means: Means) -> Score | BudgetSpent:
        scores = _taken(parts, attempt, means)
        if not isinstance(scores, list):
            return scores
        return Scored(hard=min(one.hard for one in scores), soft=sum(one.soft for one in scores) / len(scores))

    return judge


def _any(settings: StrictObject, case: Case) -> Judge:
    parts = _parts(settings, case)

    def judge(attempt: Attempt, means: Means) -> Score | BudgetSpent:
        scores = _taken(parts, attempt, means)
        if not isinstance(scores, list):
            return scores
        return Scored(hard=max(one.hard for one in scores), soft=max(one.soft for one in scores))

    return judge


def _weighted(settings: StrictObject, case: Case) -> Judge:
    parts = _parts(settings, case)
    weights = settings.each("weights", _weight)
    threshold = share(settings, "threshold", 1.0)
    if len(weights) != len(parts) or not sum(weights):
        raise InputError(f"{settings.where}.weights: write one number of at least 0 for each scorer in 'of'")

    def judge(attempt: Attempt, means: Means) -> Score | BudgetSpent:
        scores = _taken(parts, attempt, means)
        if not isinstance(scores, list):
            return scores
        hard, soft = (
            sum(weight * value for weight, value in zip(weights, values, strict=True)) / sum(weights)
            for values in ([one.hard for one in scores], [one.soft for one in scores])
        )
        return score_of(hard >= threshold - 1e-9, min(soft, 1.0))

    return judge


def _taken(parts: tuple[Judge, ...], attempt: Attempt, means: Means) -> list[Scored] | Unscored | BudgetSpent:
    """All scores, or the first reason why there are not all."""
    found: list[Scored] = []
    for part in parts:
        score = sane(part(attempt, means))
        if not isinstance(score, Scored):
            return score
        found.append(score)
    return found


def _weight(value: object, where: str) -> float:
    return StrictObject({"weight": value}, where, ("weight",)).amount("weight") or 0.0


def _kinds_in(module: str) -> dict[str, Kind]:
    return import_module(f"metier.training.scoring.{module}").KINDS


KINDS: dict[str, Kind] = {
    **{name: kind for module in MODULES for name, kind in _kinds_in(module).items()},
    "all": Kind(fields=("of",), make=_all),
    "any": Kind(fields=("of",), make=_any),
    "weighted": Kind(fields=("of", "weights", "threshold"), make=_weighted),
}
