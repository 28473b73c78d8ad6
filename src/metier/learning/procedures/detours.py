"""Detours: what failed at first in a run, and what put it right."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metier.learning.procedures.actions import Action, alike
from metier.learning.procedures.shell import only_looks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.learning.procedures.align import Actions

EXPECTED = 0.7
"""From this share of runs on, a first failure is part of the work: a test that is to be mended fails first."""
SAME = 0.35
"""How alike a later action must be to count as another try."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Detour:
    """Something failed, other things were done, then it worked."""

    run: int
    failed: Action
    between: Actions
    worked: Action


@dataclass(frozen=True, slots=True, kw_only=True)
class Straightened:
    """The runs without their detours, and the detours."""

    runs: tuple[Actions, ...]
    detours: tuple[Detour, ...]


def straightened(runs: Sequence[Actions]) -> Straightened:
    """The straight way of each run: first failures that most runs do not have are taken out, with what mended them."""
    expected = expected_failures(runs)
    ways: list[Actions] = []
    detours: list[Detour] = []
    for number, run in enumerate(runs):
        way, found = _straight(number, run, expected)
        ways.append(way)
        detours += found
    return Straightened(runs=tuple(ways), detours=tuple(detours))


def expected_failures(runs: Sequence[Actions]) -> frozenset[str]:
    """Keys of actions that fail in most of the runs that have them."""
    tried = Counter(key for run in runs for key in {one.key for one in run})
    failed = Counter(key for run in runs for key in {one.key for one in run if not one.ok})
    return frozenset(key for key, count in failed.items() if count >= 2 and count >= EXPECTED * tried[key])


def _straight(number: int, run: Actions, expected: frozenset[str]) -> tuple[Actions, list[Detour]]:
    way: list[Action] = []
    detours: list[Detour] = []
    at = 0
    while at < len(run):
        action = run[at]
        if action.ok or action.key in expected:
            way.append(action)
            at += 1
            continue
        again = _next_try(run, at)
        if again is None:
            at += 1
            continue
        detours.append(Detour(run=number, failed=action, between=_useful(run[at + 1 : again]), worked=run[again]))
        at = again if not _is_variant(run, again) else again + 1
    return tuple(way), detours


def _next_try(run: Actions, at: int) -> int | None:
    """The place of the next action that is another try at the failed one, and worked."""
    later = range(at + 1, len(run))
    return next((place for place in later if run[place].ok and alike(run[at], run[place]) >= SAME), None)


def _is_variant(run: Actions, place: int) -> bool:
    """Whether the try that worked is followed by the plain one again: then it is a means, not a step."""
    following = run[place + 1] if place + 1 < len(run) else None
    return following is not None and following.key == run[place].key and following.text != run[place].text


def _useful(actions: Sequence[Action]) -> Actions:
    """What may have mended something: a successful change or command; looking around mends nothing."""
    found = [one for one in actions if one.ok and one.kind in ("command", "edit", "tool")]
    return tuple(one for one in found if one.kind != "command" or not only_looks(one.text))
