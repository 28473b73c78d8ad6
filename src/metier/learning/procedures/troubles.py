"""What went wrong and what to do about it: troubles on the way, ways that failed, and what people corrected."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metier.learning.procedures.actions import Action, alike
from metier.learning.procedures.shell import head, only_looks
from metier.learning.procedures.template import Part, Slot, Template, fits, is_said, literal, template_of, widen_slots

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.learning.procedures.actions import Action, ActionKind, Actions

EXPECTED = 0.7
"""From this share of runs on, a first failure is part of the work: a test to be fixed fails first."""
SAME = 0.35
"""How alike a later action must be to count as another try."""
FEW = 4
"""Up to so many runs, a trouble counts that was seen once; else it takes two."""
MOST = 6
_PIECE = re.compile(r"[\w-]+(?:\.[\w-]+)*|[^\w-]+")
_NUMBER = re.compile(r"v?\d+(?:\.\d+)+|\d{2,}")


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


def straighten_runs(runs: Sequence[Actions]) -> Straightened:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Remedy:
    """Something that helped."""

    kind: ActionKind
    template: Template


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """A step that fails now and then, and what helped."""

    failed: Template
    remedies: tuple[Remedy, ...] = ()
    instead: Template = ()
    """What worked in its place, where that was another command."""

    @property
    def templates(self) -> tuple[Template, ...]:
        """All templates in it."""
        return (self.failed, *(one.template for one in self.remedies), *((self.instead,) if self.instead else ()))


def troubles(detours: Sequence[Detour], requests: Sequence[str], steps: Sequence[Template] = ()) -> tuple[Trouble, ...]:
    """The troubles that came up more than once, the most frequent first; only those with a remedy.

    What a trouble shares with one of the steps is said as the step says it.
    """
    groups: dict[str, list[Detour]] = {}
    for detour in detours:
        groups.setdefault(detour.failed.key, []).append(detour)
    least = 1 if len(requests) <= FEW else 2
    ranked = sorted(groups.values(), key=lambda group: (-len({one.run for one in group}), group[0].failed.key))
    found = [_trouble(group, requests, steps) for group in ranked if len({one.run for one in group}) >= least]
    return tuple(one for one in found if one is not None)[:MOST]


def commands_to_avoid(
    failures: Sequence[Actions], successes: Sequence[Actions], corrected: frozenset[int], requests: Sequence[str]
) -> tuple[Template, ...]:
    """Commands that only runs which went wrong have used: two of them, or one that a person corrected.

    `requests` are those of all runs, the successful ones first; `corrected` holds places in `failures`.
    """
    seen = _only_in(failures, {action.key for run in successes for action in run})
    chosen = [group for _, group in sorted(seen.items()) if len(group) >= 2 or group.keys() & corrected]
    first = len(successes)
    texts = [[(first + place, action.text) for place, action in sorted(group.items())] for group in chosen]
    return tuple(general(template_of(one), [number for number, _ in one], requests) for one in texts)[:MOST]


def _only_in(failures: Sequence[Actions], good: set[str]) -> dict[str, dict[int, Action]]:
    """The commands that did something and that no successful run has, by run."""
    seen: dict[str, dict[int, Action]] = {}
    for place, run in enumerate(failures):
        for action in run:
            if action.kind == "command" and action.ok and action.key not in good and not only_looks(action.text):
                seen.setdefault(action.key, {}).setdefault(place, action)
    return seen


def general(template: Template, runs: Sequence[int], requests: Sequence[str]) -> Template:
    """The template with slots for what only these runs' requests named: few runs may agree by chance."""

    kept = head(literal(template)).split()

    def is_own(word: str) -> bool:
        if word in kept:
            return False
        if _NUMBER.fullmatch(word):
            return True
        here = all(is_said(word, requests[run]) for run in runs)
        return here and sum(is_said(word, one) for one in requests) < len(requests) / 2

    found: list[Part] = []
    for part in template:
        pieces: list[str] = _PIECE.findall(part) if isinstance(part, str) else []
        if not pieces and not isinstance(part, str):
            found.append(part)
        for piece in pieces:
            own = len(piece) > 1 and is_own(piece)
            found.append(Slot(before="", values=tuple((run, piece) for run in runs)) if own else piece)
    return tuple(found)


def _trouble(group: Sequence[Detour], requests: Sequence[str], steps: Sequence[Template]) -> Trouble | None:
    known = next((step for step in steps if all(fits(step, one.failed.text) for one in group)), None)
    failed = known or widen_slots(template_of([(one.run, one.failed.text) for one in group]), requests)
    remedies = _remedies(group, requests, steps)
    instead = widen_slots(template_of([(one.run, one.worked.text) for one in group]), requests)
    other = _is_direct(group) and _has_more(instead, failed)
    if not remedies and not other:
        return None
    return Trouble(failed=failed, remedies=remedies, instead=instead if other and not remedies else ())


def _is_direct(group: Sequence[Detour]) -> bool:
    """Whether what worked was another command, tried at once."""
    return all(one.worked.kind == "command" and not one.between for one in group)


def _has_more(template: Template, other: Template) -> bool:
    """Whether a command says something that another one does not."""
    return bool(set(literal(template).split()) - set(literal(other).split()))


def _remedies(group: Sequence[Detour], requests: Sequence[str], steps: Sequence[Template]) -> tuple[Remedy, ...]:
    """What was done in between in at least half of the cases, in the order in which it was done."""
    counts = Counter(key for one in group for key in {action.key for action in one.between})
    common = [key for key, count in counts.items() if count >= len(group) / 2]
    order = {action.key: place for one in reversed(group) for place, action in enumerate(one.between)}
    keys = sorted(common, key=lambda key: (order[key], key))
    found = (_remedy(key, group, requests, steps) for key in keys)
    return tuple(one for one in found if literal(one.template).strip("…./ "))[:3]


def _remedy(key: str, group: Sequence[Detour], requests: Sequence[str], steps: Sequence[Template]) -> Remedy:
    done = [(one.run, action) for one in group for action in reversed(one.between) if action.key == key]
    firsts = {run: action.text for run, action in done}
    step = next((one for one in steps if all(fits(one, text) for text in firsts.values())), None)
    kind: ActionKind = done[-1][1].kind
    return Remedy(kind=kind, template=step or widen_slots(template_of(sorted(firsts.items())), requests))
