"""The steps of a kind of work: what most of its successful runs did, in order, and what some did and when."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from statistics import median
from typing import TYPE_CHECKING

from metier.learning.procedures.recurring import names_a_case, stems
from metier.learning.procedures.shell import head, only_looks
from metier.learning.procedures.template import Template, literal, names_asked_value, template_of, widen_slots

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from metier.learning.procedures.actions import Action, ActionKind, Actions

COMMON = 0.6
"""Share of the runs that take a step, from which on it belongs to the work."""
SOMETIMES = 0.4
"""And from which on it is worth mentioning, with how many runs took it."""
SOME = 2
"""Runs in which something helped."""
EXPECTED = 0.7
"""From this share of runs on, a first failure is part of the work: a test to be fixed fails first."""
LONGEST = 24
"""Steps a skill has at most; more are a program."""
CONTRAST = 3
"""Runs of either kind that it takes to tell what goes with what: with and without a step, wrong and right."""
_CHECK = re.compile(
    r"(?:^|[ /_:.-])(?:tests?|checks?|lint|verify|validate|pruefen|prüfen|audit|status|diff|watch|pytest|vitest|jest"
    r"|mypy|pyright|tsc|eslint|\w*lint|shellcheck|tox|nox|playwright|clippy|vet|phpunit|rspec|wc|pdfinfo|show|logs)"
    r"(?:$|[ /_:.-])"
)
_LOOKING = re.compile(
    r"--(?:check|dry-run|verify|pruefen|noEmit|exit-code)\b|health|\bcount\(|x509 -noout|\bruff check\b"
)

_BARE = re.compile(r"\S+ (?:\W*…[^\s\w]*)(?: \S*[<>|&]\S*)*")
"""A program and a value."""

Done = dict[int, list["Action"]]
"""The same step as each run took it, by number of the run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of the work."""

    kind: ActionKind
    template: Template
    runs: int
    """How many took it."""
    of: int
    """Of how many."""
    fails: bool = False
    """Most runs saw it fail here: it shows what is wrong."""
    check: bool = False
    """It shows whether the work is right."""
    repeated: bool = False
    """Most runs took it several times."""
    when: str = ""
    """A word that the requests have where it was taken, and only there."""

    @property
    def is_common(self) -> bool:
        """Whether it belongs to the work, whatever was asked."""
        return self.runs >= COMMON * self.of

    @property
    def acts(self) -> bool:
        """Whether it does something, and does not only look."""
        return self.kind in ("edit", "tool") or (self.kind == "command" and not only_looks(literal(self.template)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Remedy:
    """A step that fails now and then, and what helps."""

    failed: Template
    helped: Template


def steps_of(ways: Sequence[Actions], requests: Sequence[str]) -> tuple[Step, ...]:
    """The steps most runs took, in order, and those that some took; none where the runs have nothing in common."""
    taken = ((done, _step(done, requests)) for done in _steps_taken(ways))
    found = [(_place(done, ways, last=step.check), step) for done, step in taken if step is not None]
    ranked = sorted(found, key=lambda pair: (pair[0], literal(pair[1].template)))
    return tuple(step for _, step in ranked[:LONGEST])


def commands_to_avoid(failures: Sequence[Actions], successes: Sequence[Actions]) -> tuple[Template, ...]:
    """Commands that several runs which went wrong have used and none of those that went well."""
    if len(successes) < CONTRAST:
        return ()
    good = {action.key for run in successes for action in run}
    bad: dict[str, Done] = {}
    for number, run in enumerate(failures, len(successes)):
        for one in run:
            if one.kind == "command" and one.ok and one.key not in good and not only_looks(one.text):
                bad.setdefault(one.key, {}).setdefault(number, []).append(one)
    return tuple(
        template_of([(number, each[0].text) for number, each in done.items()])
        for _, done in sorted(bad.items())
        if len(done) >= CONTRAST
    )


def remedies_of(ways: Sequence[Actions], requests: Sequence[str]) -> tuple[Remedy, ...]:
    """What helped where a step failed now and then: done between the failure and the same step that worked."""
    expected = _expected_failures(ways)
    failed: dict[tuple[str, str], dict[int, str]] = {}
    helped: dict[tuple[str, str], dict[int, str]] = {}
    for number, way in enumerate(ways):
        for action, one in _mended(way, expected):
            failed.setdefault((action.key, one.key), {}).setdefault(number, action.text)
            helped.setdefault((action.key, one.key), {}).setdefault(number, one.text)
    return tuple(
        Remedy(failed=_template(failed[key], requests), helped=_template(texts, requests))
        for key, texts in sorted(helped.items())
        if len(texts) >= SOME
    )[:LONGEST]


def _mended(way: Actions, expected: frozenset[str]) -> Iterator[tuple[Action, Action]]:
    """Each action that failed, with the commands between it and the same action that worked."""
    for at, action in enumerate(way):
        if action.ok or action.key in expected:
            continue
        again = next((n for n in range(at + 1, len(way)) if way[n].ok and way[n].key == action.key), at)
        between = (one for one in way[at + 1 : again] if one.ok and one.kind == "command")
        yield from ((action, one) for one in between if not only_looks(one.text))


def _template(texts: dict[int, str], requests: Sequence[str]) -> Template:
    return widen_slots(template_of(list(texts.items())), requests)


def is_check(kind: ActionKind, text: str) -> bool:
    """Whether an action looks at the work and does not change it: told by its program, not by what it is given."""
    return kind == "command" and bool(_CHECK.search(head(text).casefold()) or _LOOKING.search(text))


def _steps_taken(ways: Sequence[Actions]) -> Iterator[Done]:
    """What the runs have in common: the very same action, or one of the same kind with other values."""
    expected = _expected_failures(ways)
    kept = [[one for one in way if one.ok or _shows_failure(one, expected)] for way in ways]
    counts = Counter(text for way in kept for text in {(one.text, one.ok) for one in way})
    common = {text for text, count in counts.items() if count >= max(2, COMMON * len(ways))}
    found: dict[tuple[str, bool, str], Done] = {}
    for number, way in enumerate(kept):
        for one in way:
            same = one.text if (one.text, one.ok) in common else ""
            if _says_something(one, same):
                found.setdefault((one.key, one.ok, same), {}).setdefault(number, []).append(one)
    yield from found.values()


def _says_something(action: Action, same: str) -> bool:
    """Whether an action is more than the name of a tool."""
    return action.kind != "tool" or bool(same and not names_a_case(same))


def _shows_failure(action: Action, expected: frozenset[str]) -> bool:
    return action.key in expected and is_check(action.kind, action.text)


def _expected_failures(ways: Sequence[Actions]) -> frozenset[str]:
    """Keys of actions that fail in most of the runs that have them."""
    tried = Counter(key for run in ways for key in {one.key for one in run})
    failed = Counter(key for run in ways for key in {one.key for one in run if not one.ok})
    return frozenset(key for key, count in failed.items() if count >= 2 and count >= EXPECTED * tried[key])


def _place(done: Done, ways: Sequence[Actions], *, last: bool) -> float:
    """Where in a run it is done, from 0 to 1: a check at its last time, everything else at its first."""
    return median(ways[number].index(each[-1 if last else 0]) / len(ways[number]) for number, each in done.items())


def _step(done: Done, requests: Sequence[str]) -> Step | None:
    first = next(iter(done.values()))[0]
    template = _template({number: each[0].text for number, each in done.items()}, requests)
    said = literal(template)
    if _is_bare(first.kind, said) and not names_asked_value(template, requests):
        return None
    step = Step(
        kind=first.kind,
        template=template,
        runs=len(done),
        of=len(requests),
        fails=not first.ok,
        check=is_check(first.kind, said) and first.ok,
        repeated=sum(len(each) > 1 for each in done.values()) > len(done) / 2,
    )
    if step.runs < min(2, step.of) or not (step.is_common or step.acts):
        return None
    if step.is_common or (when := _condition(done.keys(), requests)) is None:
        return step if step.runs >= SOMETIMES * step.of else None
    return replace(step, when=when)


def _is_bare(kind: ActionKind, said: str) -> bool:
    """Whether a step says no more than a program, or that some file was read or changed; `said` has `…` for slots."""
    if kind == "command":
        return _BARE.fullmatch(said) is not None and " " not in head(said)
    folder, _, name = said.rpartition("/")
    return (not folder or "…" in folder) and not name.partition(".")[0].strip("…")


def _condition(taken: Collection[int], requests: Sequence[str]) -> str | None:
    """The word that all requests have for which a step was taken, and none of the others; None: there is none."""
    having = [stems(one) for number, one in enumerate(requests) if number in taken]
    lacking = [stems(one) for number, one in enumerate(requests) if number not in taken]
    if min(len(having), len(lacking)) < CONTRAST:
        return None
    telling = having[0].intersection(*having[1:]) - frozenset[str]().union(*lacking)
    said = [word for request in requests for word in re.findall(r"[\w-]+", request.casefold())]
    return next((word for word in said if stems(word) and stems(word) <= telling), None)
