"""The routing check before a skill is admitted or described anew: no neighbour shall lose what it served well."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.errors import RefusedError
from metier.library.listing import result_of
from metier.library.profiles import name_of
from metier.library.proposals.drafts import finish_interrupted_drafts, get_open_draft, proposed_change
from metier.library.proposals.gate import PASSING
from metier.library.roots import skill_folders_in
from metier.types.trials import Decision

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.library.proposals.gate import ShipGate
    from metier.library.skills import Library
    from metier.selection.evaluation.admission import Admission, Takeover
    from metier.selection.evaluation.eval_library import EvalLibrary
    from metier.selection.types import Selectable
    from metier.skills.package import Package
    from metier.types import Draft
    from metier.types.skills import Version

DEPTH = 12
"""Skills that are retrieved for a request."""
SHOWN = 3
"""Requests that are named."""


def apply_checked(library: Library, ids: Sequence[str], *, take_over: bool = False) -> tuple[list[Version], list[str]]:
    """Ship drafts after the routing check, with what it says; RefusedError where a neighbour would lose requests."""
    from metier.library.proposals.ship import apply_drafts

    finish_interrupted_drafts(library)
    said: list[str] = []
    for draft in dict.fromkeys(ids):
        opened = get_open_draft(library, draft)
        change = proposed_change(library, opened)
        again = f"metier drafts apply {opened.id} --take-over"
        said += refuse_takeover(library, opened.target, (change.before, change.after), "" if take_over else again)
    return apply_drafts(library, ids), said


def refuse_takeover(
    library: Library, skill: str, change: tuple[Package | None, Package], again: str = ""
) -> tuple[str, ...]:
    """RefusedError where a neighbour would lose requests; else what the check says, if anything.

    `again` is the command that does it all the same; empty: a person has said so, and nothing is refused.
    """
    found = routing_of(library, skill, *change)
    if found is None or not found.taken:
        return ()
    if lost_requests(found) and again:
        raise RefusedError(
            f"{routing_words(found)}. Nothing was changed. Reword its description, or do it all the same: {again}"
        )
    return (routing_words(found),)


class TakeoverCheck:
    """The routing check as what changes a skill asks before it does."""

    def __init__(self, library: Library, again: str) -> None:
        self._library = library
        self._again = again
        self.said: list[str] = []
        """What it had to say about changes that it let through."""

    def __call__(self, skill: str, change: tuple[Package | None, Package]) -> None:
        """RefusedError where a neighbour would lose requests, unless a person has said that it may."""
        self.said += refuse_takeover(self._library, skill, change, self._again)


def routing_of(library: Library, skill: str, before: Package | None, after: Package) -> Admission | None:
    """What a package would do to the tasks of its neighbours; None: it is described as it was, or has none."""
    if before is not None and (before.name, before.description) == (after.name, after.description):
        return None
    if not _has_neighbours(library, skill):
        return None
    from metier.selection.evaluation.admission import admit, served_requests

    return result_of(admit(_newcomer(skill, after), _neighbours(library), served_requests(library.ctx)))


def _has_neighbours(library: Library, skill: str) -> bool:
    """Whether any other skill lies in the library."""
    mine = name_of(skill).casefold()
    return any(name_of(one.skill).casefold() != mine for root in library.roots for one in skill_folders_in(root))


def would_serve(library: Library, skill: str, package: Package, requests: Sequence[str]) -> list[bool]:
    """Whether a skill would be selected for each of some requests, once it is in the library."""
    newcomer = _newcomer(skill, package)
    there = _neighbours(library).with_skill(newcomer)
    return [newcomer.name in there.answer(text, DEPTH).chosen for text in requests]


def _newcomer(skill: str, package: Package) -> Selectable:
    from metier.selection.evaluation.eval_library import without_scope
    from metier.selection.evaluation.files import selectable_of

    return without_scope(selectable_of(package, skill.rpartition("/")[2]))


def _neighbours(library: Library) -> EvalLibrary:
    from metier.selection.candidates.skill_pool import SkillPool, skills_with_bodies
    from metier.selection.evaluation.eval_library import build_eval_library, eval_basis

    skills = result_of(skills_with_bodies(SkillPool(library=library)))
    return result_of(build_eval_library(skills, eval_basis(library.ctx)))


def lost_requests(found: Admission | None) -> tuple[Takeover, ...]:
    """The requests that a neighbour served well and would lose: these block."""
    return tuple(one for one in found.taken if one.probe.source == "request" and not one.still) if found else ()


def routing_words(found: Admission) -> str:
    """Which requests would change hands, in one sentence."""
    lost = lost_requests(found) or found.taken
    named = "; ".join(f"“{' '.join(one.probe.query.text.split())[:80]}” from {one.skill}" for one in lost[:SHOWN])
    more = f" and {len(lost) - SHOWN} more" if len(lost) > SHOWN else ""
    return f"{found.skill} would take over {len(lost)} of {found.probes} tasks of its neighbours: {named}{more}"


class RoutingGate:
    """A gate around another one: what passes that, but would cost a neighbour requests, waits for a person."""

    def __init__(self, library: Library, inner: ShipGate) -> None:
        self._library = library
        self._inner = inner

    def decide(self, draft: Draft, before: Package | None, after: Package) -> Decision:
        """The inner gate's answer, unless a neighbour would lose requests."""
        decision = self._inner.decide(draft, before, after)
        if decision.action == "reject" or (decision.action not in PASSING and not draft.approved):
            return decision
        found = routing_of(self._library, draft.target, before, after)
        if found is None or not lost_requests(found):
            return decision
        again = f"to ship it all the same: metier drafts apply {draft.id} --take-over"
        return Decision(action="uninformative", reason=f"{routing_words(found)}; {again}", asks=True)
