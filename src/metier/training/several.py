"""Several sets of proposals from the same rollouts: each by analysts who look at them in other company."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING

from metier.training.proposing.proposals import NOTHING, Bundle
from metier.training.proposing.reflect import Sorting

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from metier.training.proposing.prompt import Seen
    from metier.training.proposing.proposals import Proposed, Source
    from metier.training.proposing.reflect import Minibatch, Reflection
    from metier.training.spec import Spec


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalSet:
    """What the analysts of one set made of a step's rollouts."""

    number: int
    """From 1."""
    reflections: tuple[Reflection, ...]
    bundle: Bundle = NOTHING
    """What was taken up of it."""
    budget: int | None = None

    @property
    def proposed(self) -> int:
        """How many proposals its analysts made."""
        return sum(len(one.bundle.items) for one in self.reflections)

    def side(self, source: Source) -> tuple[Bundle, ...]:
        """What the analysts of failures, or of successes, proposed."""
        return tuple(one.bundle for one in self.reflections if one.source == source)

    @property
    def notes(self) -> tuple[str, ...]:
        """Its reminders."""
        return tuple(note for one in self.reflections for note in one.notes)


def minibatches(seen: Sequence[Seen], spec: Spec, purpose: str) -> tuple[Minibatch, ...]:
    """The cases of a batch in minibatches drawn anew, failures first; of a side that fits into one, a half of it."""
    drawn = Random(spec.seed_for(purpose)).sample(seen, len(seen))  # noqa: S311 - no secret
    sorting = Sorting(spec.minibatch, failures_only=spec.failures_only, contrast=spec.contrast)
    filled: list[Minibatch] = []
    for failed in (True, False):
        side = [one for one in drawn if one.rollouts and one.failed is failed]
        half = -(-len(side) // 2) if len(side) <= spec.minibatch else len(side)
        filled += [minibatch for one in side[:half] if (minibatch := sorting.add(one))]
    filled += sorting.rest()
    return tuple(sorted(filled, key=lambda one: one.rank))


def together(spec: Spec) -> bool:
    """Whether all sets are judged at once: where every edit is judged by itself."""
    return spec.update == "patch" and spec.gate in ("screen", "adaptive")


def rivals(sets: Sequence[ProposalSet], spec: Spec, room: int) -> tuple[ProposalSet, ...]:
    """The sets as they are to be judged, one after the other; those that say nothing new are left out.

    First those that agree most with the others, then those that more cases speak for. Where all are judged at once,
    further sets fill up the `room` that the first one leaves.
    """
    if together(spec) or len(sets) == 1:
        whole = united(sets)
        most = max(len(sets[0].bundle.items), room)
        return (replace(whole, bundle=replace(whole.bundle, items=whole.bundle.items[:most])),)
    telling: dict[object, ProposalSet] = {}
    for one in sets:
        if one.bundle.items or one.notes:
            telling.setdefault((tuple(item.what for item in one.bundle.items), one.notes), one)
    found = tuple(telling.values()) or tuple(sets[:1])
    return tuple(sorted(found, key=lambda one: _promise(one, found), reverse=True))


def united(sets: Sequence[ProposalSet]) -> ProposalSet:
    """All sets as one: every proposal once, where it was made first, with the most support that it has anywhere."""
    if len(sets) == 1:
        return sets[0]
    support: dict[object, int] = {}
    first: dict[object, Proposed] = {}
    for item in (item for one in sets for item in one.bundle.items):
        support[item.what] = max(item.support, support.get(item.what, 0))
        first.setdefault(item.what, item)
    items = tuple(replace(item, support=support[what]) for what, item in first.items())
    budgets = [one.budget for one in sets if one.budget is not None]
    return ProposalSet(
        number=1,
        reflections=tuple(reflection for one in sets for reflection in one.reflections),
        bundle=Bundle(items=items, reasoning="\n".join(one.bundle.reasoning for one in sets if one.bundle.reasoning)),
        budget=sum(budgets) if budgets else None,
    )


def without(one: ProposalSet, taken: Collection[Proposed]) -> ProposalSet:
    """A set without what another set of the same step has brought into the skill already."""
    there = {item.what for item in taken}
    items = tuple(item for item in one.bundle.items if item.what not in there)
    return replace(one, bundle=replace(one.bundle, items=items))


def _promise(one: ProposalSet, sets: Sequence[ProposalSet]) -> tuple[int, int]:
    others = {item.what for other in sets if other is not one for item in other.bundle.items}
    items = one.bundle.items
    return sum(item.what in others for item in items), sum(item.support for item in items)
