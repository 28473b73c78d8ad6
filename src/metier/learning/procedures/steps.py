"""The steps of a kind of work, found in what its successful runs did."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from metier.learning.procedures.align import Column, aligned
from metier.learning.procedures.shell import head
from metier.learning.procedures.template import Template, literal, template_of, widened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.learning.procedures.actions import ActionKind
    from metier.learning.procedures.align import Actions

COMMON = 0.6
"""Share of the runs that take a step, from which on it belongs to the work."""
OPTIONAL = 0.3
"""And from which on it is worth mentioning."""
WORTH = 0.5
"""Share of a line that must be the same everywhere."""
LONGEST = 24
"""Steps a skill has at most; more are a program."""

Need = Literal["common", "optional"]
_CHECK = re.compile(
    r"(?:^|[ /_:.-])(?:tests?|checks?|lint|verify|validate|pruefen|prüfen|audit|status|diff|watch|pytest|vitest|jest"
    r"|mypy|pyright|tsc|eslint|\w*lint|shellcheck|tox|nox|playwright|clippy|vet|phpunit|rspec|wc|pdfinfo|show|logs)"
    r"(?:$|[ /_:.-])"
)
_LOOKING = re.compile(
    r"--(?:check|dry-run|verify|pruefen|noEmit|exit-code)\b|health|\bcount\(|x509 -noout|\bruff check\b"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of the work."""

    kind: ActionKind
    template: Template
    need: Need
    detail: Template = ()
    """The line most runs put into the file there."""
    fails: bool = False
    """Most runs saw it fail here: it shows what is wrong."""
    check: bool = False
    """It shows whether the work is right."""
    repeated: bool = False
    """Runs took it several times in a row."""
    runs: frozenset[int] = frozenset()
    """The runs that took it."""


def steps_of(ways: Sequence[Actions], requests: Sequence[str]) -> tuple[Step, ...]:
    """The steps most runs took, in order, with those that some took; none where the runs have nothing in common."""
    columns = aligned(_frequent(ways))
    found = [step for column in columns if (step := _step(column, requests)) is not None]
    return tuple(_folded(found, len(ways))[:LONGEST])


def parted(steps: Sequence[Step]) -> tuple[tuple[Step, ...], tuple[Step, ...]]:
    """The procedure, and the checks at its end; a procedure that is nothing but checks stays whole."""
    end = len(steps)
    while end and steps[end - 1].check:
        end -= 1
    if not any(step.need == "common" for step in steps[:end]):
        return tuple(steps), ()
    return tuple(steps[:end]), tuple(steps[end:])


def is_check(kind: ActionKind, text: str) -> bool:
    """Whether an action looks at the work and does not change it: told by its program, not by what it is given."""
    return kind == "command" and bool(_CHECK.search(head(text).casefold()) or _LOOKING.search(text))


def _frequent(ways: Sequence[Actions]) -> list[Actions]:
    """The runs without what so few of them did that it cannot become a step."""
    counts = Counter(key for way in ways for key in {action.key for action in way})
    least = OPTIONAL * len(ways)
    return [tuple(action for action in way if counts[action.key] >= least) for way in ways]


def _step(column: Column, requests: Sequence[str]) -> Step | None:
    total = len(requests)
    share = len(column.runs) / total
    if share < OPTIONAL or (len(column.runs) < 2 and total > 1):
        return None
    kind = column.members[0][1].kind
    if kind in ("search", "web") and share < COMMON:
        return None
    texts = sorted((number, action.text) for number, action in column.members)
    template = widened(template_of(texts), requests)
    said = literal(template)
    if kind != "command" and not said.strip("…./ "):
        return None
    failed = sum(not action.ok for _, action in column.members)
    detail = _detail(column, requests) if kind == "edit" else ()
    return Step(
        kind=kind,
        template=template,
        need=_need(column.runs, total),
        detail=detail,
        fails=failed > len(column.members) / 2,
        check=is_check(kind, said),
        runs=column.runs,
    )


def _detail(column: Column, requests: Sequence[str]) -> Template:
    """The line that most edits of a column put in, where they have enough in common to be worth saying."""
    texts = sorted((number, action.detail) for number, action in column.members if action.detail)
    if len(texts) < max(2, COMMON * len(column.members)):
        return ()
    found = widened(template_of(texts), requests)
    fixed = len("".join(part for part in found if isinstance(part, str)).replace(" ", ""))
    typical = sorted(len(text.replace(" ", "")) for _, text in texts)[len(texts) // 2]
    return found if fixed >= max(8, WORTH * typical) else ()


def _need(runs: frozenset[int], total: int) -> Need:
    return "common" if len(runs) >= COMMON * total else "optional"


def _folded(steps: Sequence[Step], total: int) -> list[Step]:
    """Steps without repetitions: the same one again right behind is one that is repeated."""
    found: list[Step] = []
    for step in steps:
        last = found[-1] if found else None
        if last is not None and _is_again(last, step):
            runs = last.runs | step.runs
            found[-1] = replace(last, repeated=True, runs=runs, need=_need(runs, total))
        else:
            found.append(step)
    return found


def _is_again(one: Step, other: Step) -> bool:
    return one.kind == other.kind and one.fails == other.fails and literal(one.template) == literal(other.template)
