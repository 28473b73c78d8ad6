"""Which skills may be selected for a task: worked out once for each kind of task, as long as the library stays."""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING

from metier.selection.candidates.eligibility import eligible, is_scoped, scope

if TYPE_CHECKING:
    from collections.abc import Callable

    from metier.selection.candidates.catalogue import Catalogue
    from metier.selection.candidates.eligibility import Eligible
    from metier.selection.types import Selectable, Task

    Key = tuple[tuple[str, ...], frozenset[str]]
    """Why each skill with a scope is not for a task, and who is excluded."""

MOST = 16
"""Kinds of task that are remembered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class May:
    """The skills that may be selected, in the forms in which they are asked for."""

    found: Eligible
    """With those that cannot be read among the ones left out."""
    pinned: tuple[Selectable, ...]
    names: frozenset[str]
    left_out: int
    """How many of the skills in use may not be selected."""
    mark: str
    """Stands for the names."""


class Answers:
    """Who may be selected in one state of the library; tasks differ only in who is left out for them."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self._scoped = [one.skill for one in catalogue.listed.values() if is_scoped(one.skill)]
        self._known: dict[Key, May] = {}

    def of(self, task: Task, excluded: frozenset[str]) -> May:
        """The answer for a task."""
        scopes = tuple(scope(one, task) for one in self._scoped)
        everyone = self._remembered((scopes, frozenset()), lambda: self._worked_out(task))
        excluded &= everyone.names
        if not excluded:
            return everyone
        return self._remembered((scopes, excluded), lambda: _without(everyone, excluded))

    def _remembered(self, key: Key, make: Callable[[], May]) -> May:
        """The answer under a key, in the place of the one that was not asked for longest."""
        found = self._known.pop(key, None) or make()
        if len(self._known) >= MOST:
            del self._known[next(iter(self._known))]
        self._known[key] = found
        return found

    def _worked_out(self, task: Task) -> May:
        found = eligible(self.catalogue.skills, task)
        names = frozenset(one.name for one in found.skills)
        return May(
            found=replace(found, left_out=(*found.left_out, *self.catalogue.unread)),
            pinned=found.pinned,
            names=names,
            left_out=len(self.catalogue.listed) - len(names),
            mark=_mark(names),
        )


def _without(may: May, excluded: frozenset[str]) -> May:
    return May(
        found=may.found.without(excluded),
        pinned=tuple(one for one in may.pinned if one.name not in excluded),
        names=may.names - excluded,
        left_out=may.left_out + len(excluded),
        mark=f"{may.mark} {_mark(excluded)}",
    )


def _mark(names: frozenset[str]) -> str:
    return sha256("\n".join(sorted(names)).encode("utf-8", "surrogatepass")).hexdigest()
