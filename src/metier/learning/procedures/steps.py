"""The steps of a kind of work, found in what its successful runs did."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from metier.learning.procedures.actions import Action, Actions, alike
from metier.learning.procedures.shell import head
from metier.learning.procedures.template import Template, literal, template_of, widen_slots

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from metier.learning.procedures.actions import ActionKind, Actions

COMMON = 0.6
"""Share of the runs that take a step, from which on it belongs to the work."""
OPTIONAL = 0.3
"""And from which on it is worth mentioning."""
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
LEAST = 0.35
"""Actions less alike than this are different steps."""
COMPARED = 4
"""Actions of a column that another one is compared with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of the work."""

    kind: ActionKind
    template: Template
    need: Need
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
    columns = align_runs(_frequent(ways))
    found = [step for column in columns if (step := _step(column, requests)) is not None]
    return tuple(_folded(found, len(ways))[:LONGEST])


def split_checks(steps: Sequence[Step]) -> tuple[tuple[Step, ...], tuple[Step, ...]]:
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
    texts = sorted((number, action.text) for number, action in column.members)
    template = widen_slots(template_of(texts), requests)
    said = literal(template)
    if kind != "command" and not said.strip("…./ "):
        return None
    failed = sum(not action.ok for _, action in column.members)
    return Step(
        kind=kind,
        template=template,
        need=_need(column.runs, total),
        fails=failed > len(column.members) / 2,
        check=is_check(kind, said),
        runs=column.runs,
    )


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One step of the work: at most one action of each run."""

    members: tuple[tuple[int, Action], ...]
    """Number of the run, and what it did there."""

    @property
    def runs(self) -> frozenset[int]:
        """The runs that took this step."""
        return frozenset(number for number, _ in self.members)


def align_runs(runs: Sequence[Actions]) -> tuple[Column, ...]:
    """The columns of all runs: the most typical run first, every other one laid beside what is there."""
    counts = Counter(key for run in runs for key in {action.key for action in run})
    weights = {key: count / len(runs) for key, count in counts.items()}
    columns: tuple[Column, ...] = ()
    for number in _order(runs, counts):
        columns = _joined(columns, number, runs[number], weights)
    return columns


def _order(runs: Sequence[Actions], counts: Mapping[str, int]) -> list[int]:
    """Runs by how much of what they did is common to all, the most typical first; whole numbers add up exactly."""
    worth = [sum(counts[key] for key in {action.key for action in run}) for run in runs]
    return sorted(range(len(runs)), key=lambda number: (-worth[number], number))


def _joined(columns: tuple[Column, ...], number: int, run: Actions, weights: Mapping[str, float]) -> tuple[Column, ...]:
    """The columns with one more run, by the alignment of the highest total; what many runs do weighs more."""
    scores = [[_fit(action, column) * weights[action.key] ** 2 for column in columns] for action in run]
    best = _table(scores, len(run), len(columns))
    found: list[Column] = []
    row, place = len(run), len(columns)
    while row or place:
        if row and place and _matches(best, scores, row, place):
            before = columns[place - 1].members
            found.append(Column(members=(*before, (number, run[row - 1]))))
            row, place = row - 1, place - 1
        elif row and (not place or best[row][place] == best[row - 1][place]):
            found.append(Column(members=((number, run[row - 1]),)))
            row -= 1
        else:
            found.append(columns[place - 1])
            place -= 1
    return tuple(reversed(found))


def _table(scores: list[list[float]], rows: int, places: int) -> list[list[float]]:
    best = [[0.0] * (places + 1) for _ in range(rows + 1)]
    for row in range(1, rows + 1):
        for place in range(1, places + 1):
            fit = scores[row - 1][place - 1]
            across = best[row - 1][place - 1] + fit if fit > 0 else -1.0
            best[row][place] = max(across, best[row - 1][place], best[row][place - 1])
    return best


def _matches(best: list[list[float]], scores: list[list[float]], row: int, place: int) -> bool:
    fit = scores[row - 1][place - 1]
    return fit > 0 and abs(best[row][place] - (best[row - 1][place - 1] + fit)) < 1e-9


def _fit(action: Action, column: Column) -> float:
    """How well an action fits a column, compared with some of its members; 0: not at all."""
    first = column.members[0][1]
    if first.kind != action.kind or (action.kind == "command" and first.key != action.key):
        return 0.0
    shown = column.members[:COMPARED]
    found = sum(alike(action, one) for _, one in shown) / len(shown)
    return found if found >= LEAST else 0.0
