"""The candidates for a task: found in the index, and only those that may be handed out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tacit.selection.entries import EMBEDDER
from tacit.selection.ranking import ranked
from tacit.selection.values import Scored
from tacit.workspace.select_fit import fit
from tacit.workspace.select_vectors import Meaning, meaning

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from tacit.selection.choosing import Basis
    from tacit.selection.eligible import Eligible, LeftOut
    from tacit.selection.values import Selectable, Task
    from tacit.workspace.catalogue import Catalogue
    from tacit.workspace.workspace import Workspace

SPARE = 3
"""How many times `top_k` are searched, as some of them may be of no use."""
ROUNDS = 5
"""How often others are searched in the place of skills that may not be handed out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What came of the search."""

    scored: tuple[Scored, ...] = ()
    """With their texts."""
    pinned: tuple[Selectable, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    """May not be handed out, with the reason."""
    embedder: str = EMBEDDER.name
    notes: tuple[str, ...] = ()
    changed: bool = False
    """Whether the library is not any more as the catalogue has it."""

    @property
    def refused(self) -> frozenset[str]:
        """The names of those that may not be handed out."""
        return frozenset(one.name for one in self.left_out)


class _Checked:
    """Skills that were looked at before they are shown to anybody, each once."""

    def __init__(self, ws: Workspace, catalogue: Catalogue) -> None:
        self._ws, self._listed = ws, catalogue.listed
        self.fit: dict[str, Selectable] = {}
        self.left_out: dict[str, LeftOut] = {}
        self.changed = False

    def look(self, names: Iterable[str]) -> bool:
        """Look at those not looked at yet; whether there is no need for others in their place, or no time."""
        fresh = [self._listed[name] for name in names if name not in self.fit and name not in self.left_out]
        found = fit(self._ws, fresh)
        self.fit |= found.skills
        self.left_out |= {one.name: one for one in found.left_out}
        self.changed |= found.changed
        return found.busy or not found.left_out


def retrieved(ws: Workspace, task: Task, may: Eligible, catalogue: Catalogue, basis: Basis) -> Found:
    """The best skills for a task among those that may be selected, and those wanted in every run."""
    checked = _Checked(ws, catalogue)
    pins = [one.name for one in may.pinned]
    checked.look(pins)
    by_meaning = meaning(ws, task.text) if may.skills else Meaning()
    names = {one.name for one in may.skills}
    scored: list[Scored] = []
    for _ in range(ROUNDS):
        scored = _searched(ws, task, catalogue, by_meaning, basis, names - checked.left_out.keys())
        if checked.look(one.skill.name for one in ranked(scored, basis.settings, basis.records)):
            break
    return Found(
        scored=tuple(_with_text(one, checked) for one in scored if one.skill.name in checked.fit),
        pinned=tuple(checked.fit[name] for name in pins if name in checked.fit),
        left_out=tuple(checked.left_out.values()),
        embedder=by_meaning.embedder,
        notes=(by_meaning.note,) if by_meaning.note else (),
        changed=checked.changed,
    )


def _searched(
    ws: Workspace, task: Task, catalogue: Catalogue, by: Meaning, basis: Basis, names: Collection[str]
) -> list[Scored]:
    within = None if len(names) == len(catalogue.listed) else names
    hits = ws.stock.search(task.text, SPARE * basis.settings.top_k, within, by.vector) if names else ()
    return [Scored(skill=catalogue.listed[hit.name].skill, score=hit.score, parts=hit.parts) for hit in hits]


def _with_text(one: Scored, checked: _Checked) -> Scored:
    return Scored(skill=checked.fit[one.skill.name], score=one.score, parts=one.parts)
