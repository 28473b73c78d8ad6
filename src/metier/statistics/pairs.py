"""Two arms, case by case: what each case scored before a change and after it."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from metier.types.trials import Scored

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from metier.types.trials import Rollout


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One case under two skills; an arm without any scored rollout has no value, which is not a 0."""

    case: str
    before: float | None
    after: float | None


def hard(score: Scored) -> float:
    """The value of a rollout by default."""
    return score.hard


def pairs_of(
    before: Iterable[Rollout], after: Iterable[Rollout], value: Callable[[Scored], float] = hard
) -> tuple[Pair, ...]:
    """The cases of both arms, sorted by id; samples of one case are averaged first, so that a case counts once."""
    old, new = _means(before, value), _means(after, value)
    return tuple(Pair(case=case, before=old.get(case), after=new.get(case)) for case in sorted(old.keys() | new.keys()))


def deltas_of(pairs: Iterable[Pair]) -> tuple[tuple[str, float], ...]:
    """The difference of each case that has a value in both arms."""
    return tuple(
        (pair.case, pair.after - pair.before) for pair in pairs if pair.after is not None and pair.before is not None
    )


def _means(rollouts: Iterable[Rollout], value: Callable[[Scored], float]) -> Mapping[str, float | None]:
    values: dict[str, list[float]] = {}
    for rollout in rollouts:
        found = values.setdefault(rollout.case, [])
        if isinstance(rollout.score, Scored):
            found.append(value(rollout.score))
    return {case: fmean(found) if found else None for case, found in values.items()}
