"""Runs side by side: which action of one corresponds to which of the others, in order."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metier.learning.procedures.actions import Action, alike

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

LEAST = 0.35
"""Actions less alike than this are different steps."""
COMPARED = 4
"""Actions of a column that another one is compared with."""
Actions = tuple[Action, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One step of the work: at most one action of each run."""

    members: tuple[tuple[int, Action], ...]
    """Number of the run, and what it did there."""

    @property
    def runs(self) -> frozenset[int]:
        """The runs that took this step."""
        return frozenset(number for number, _ in self.members)


def aligned(runs: Sequence[Actions]) -> tuple[Column, ...]:
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
