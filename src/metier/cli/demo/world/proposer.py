"""Proposes changes in the simulated world, as often wrong as right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from metier.cli.demo.world.world import line, lines_of
from metier.types import Append, Delete

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.cli.demo.world.world import World

T = TypeVar("T")
GOOD, NEUTRAL, HARMFUL = 0.35, 0.30, 0.20
"""How often an edit adds a rule of each kind; the rest takes a line away."""
NUMBERS = 1_000_000
"""Rules without effect to choose from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposer:
    """Proposes edits for failed jobs; the same jobs give the same edits."""

    world: World
    edits: int = 1
    """Edits in a proposal."""

    def propose(self, text: str, failed: Sequence[str], salt: object = "") -> tuple[Append | Delete, ...]:
        """A proposal for one of the failed jobs; None without one. Another salt gives another proposal."""
        made: dict[Append | Delete, None] = {}
        shown = (text, tuple(failed), salt)
        for number in range(self.edits if failed else 0):
            taken = [*lines_of(text), *(edit.content for edit in made if isinstance(edit, Append))]
            made[self._edit(text, taken, self._one("job", failed, shown), (*shown, number))] = None
        return tuple(made)

    def _edit(self, text: str, taken: Sequence[str], job: str, shown: object) -> Append | Delete:
        kind = self.world.uniform("kind", shown)
        if kind < GOOD:
            missing = [rule for rule in self.world.traits(job).gains if line("G", rule) not in taken]
            return self._add("G", missing, shown)
        if kind < GOOD + NEUTRAL:
            return self._add("N", [], shown)
        if kind < GOOD + NEUTRAL + HARMFUL:
            missing = [rule for rule in range(self.world.spec.harmful) if line("H", rule) not in taken]
            return self._add("H", missing, shown)
        lines = lines_of(text)
        return Delete(target=self._one("delete", lines, shown)) if lines else self._add("N", [], shown)

    def _add(self, kind: str, rules: Sequence[int], shown: object) -> Append:
        """A line with one of the rules, or with a rule that has no effect."""
        if not rules:
            return Append(content=line("N", int(self.world.uniform("neutral", shown) * NUMBERS)))
        return Append(content=line(kind, self._one("rule", rules, shown)))

    def _one(self, what: str, among: Sequence[T], shown: object) -> T:
        return among[int(self.world.uniform(what, shown) * len(among))]
