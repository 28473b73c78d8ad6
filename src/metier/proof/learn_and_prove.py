"""A pass of learning with what proof adds behind it: trials are settled, and what they show is said."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from metier.errors import MetierError
from metier.events import Ended, Noted
from metier.learning.learn import DEFAULT, DEFAULT_PARTS, learn
from metier.proof.routing import RoutingGate
from metier.store.tables.learning import lessons
from metier.store.tables.selection import outcomes, trials

if TYPE_CHECKING:
    from collections.abc import Generator

    from metier.events import Event
    from metier.learning.learn import Parts
    from metier.library.proposals.gate import ShipGate
    from metier.library.skills import Library
    from metier.skills.package import Package
    from metier.types import Draft
    from metier.types.passes import Learned, Options
    from metier.types.trials import Decision


class ReplayIfAsked:
    """The replay on reviewed cases, loaded when the first draft may ship: most passes ship none."""

    def __init__(self, library: Library) -> None:
        self._library = library

    def decide(self, draft: Draft, before: Package | None, after: Package) -> Decision:
        """What the replay says."""
        from metier.proof.replay.reviewed_cases import ReviewedCases

        return ReviewedCases(self._library).decide(draft, before, after)


def learn_and_prove(
    library: Library, options: Options = DEFAULT, gate: ShipGate | None = None, parts: Parts = DEFAULT_PARTS
) -> Generator[Event, None, Learned]:
    """One pass of learning, then one of proof; what was learned stands if proof fails."""
    learned = yield from learn(library, options, RoutingGate(library, gate or ReplayIfAsked(library)), parts)
    if options.dry_run:
        return learned
    notes = proof_notes(library)
    for text in notes:
        yield Noted(stage="learn", text=text, level="warning")
    return replace(learned, notes=(*learned.notes, *notes))


def proof_notes(library: Library) -> tuple[str, ...]:
    """What proof did or asks after a pass, in sentences."""
    notes: list[str] = []
    try:
        if _is_anything_in_use(library):
            from metier.proof.model_change import follow_model
            from metier.proof.safety import is_looked_at, pause_unsafe
            from metier.proof.trials.trials import settle_trials

            asked = is_looked_at(library.ctx)  # what only asks is asked once a day
            settled = [one for one in settle_trials(library) if one.note]
            notes += [one.note for one in settled if one.trial.status != "running" or not asked]
            notes += [*pause_unsafe(library), *follow_model(library)]
    except MetierError as error:
        notes.append(f"Proof was not looked at to its end: {error}")
    return tuple(notes)


def _is_anything_in_use(library: Library) -> bool:
    """Whether there is anything to prove: a trial, a skill that was selected, or a lesson that was approved."""
    with library.ctx.store.read() as transaction:
        return (
            any(one.status == "running" for one in trials.list_all(transaction))
            or bool(outcomes.tallies(transaction))
            or any(one.status == "approved" for one in lessons.list_all(transaction))
        )


def watch_pass(library: Library) -> Generator[Event, None, object]:
    """The pass that `metier watch` makes."""
    learned = yield from learn_and_prove(library)
    yield Ended(stage="learn", text=learned.summary)
    return learned
