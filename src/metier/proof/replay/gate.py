"""The replay gate: a draft with and without, on accepted cases whose runs did not teach it, paired."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from metier.context.audit import note_action
from metier.errors import RefusedError
from metier.library.proposals.drafts import get_open_draft, note_objection, proposed_change
from metier.library.proposals.gate import PASSING
from metier.library.proposals.ship import ship_if_gate_agrees
from metier.proof.replay.cases import list_cases
from metier.proof.routing import RoutingGate, would_serve
from metier.store.tables.learning import members
from metier.store.tables.library import drafts
from metier.training.evaluate import EvaluatedSide, evaluate
from metier.training.service.order import Order, TrainLimits
from metier.training.targets.recipients import missing_consent
from metier.types.skills import Version
from metier.types.trials import Decision

if TYPE_CHECKING:
    from collections.abc import Generator

    from metier.context.context import Context
    from metier.events import Event
    from metier.library.skills import Library
    from metier.models.model import Model
    from metier.skills.package import Package
    from metier.training.service.remote import RolloutService
    from metier.training.targets.callable import Agent
    from metier.training.targets.target import Target
    from metier.types import Draft
    from metier.types.trials import Case

LEAST = 5
"""Cases that a paired comparison needs to tell anything at all: fewer cannot pass one error in twenty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayOptions:
    """How cases are tried."""

    target: str | Target | Agent = "chat"
    judge: str | Model = ""
    limits: TrainLimits = field(default_factory=TrainLimits)
    workers: int = 8
    seconds: float = 120.0
    commands: bool = False
    """Whether checks that are commands may be run: somebody has read the cases."""
    elsewhere: RolloutService | None = None
    """Makes the rollouts on other machines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """What a replay of a draft came to."""

    draft: Draft
    decision: Decision
    cases: int
    taught: int
    """Accepted cases that were left out, because their runs taught the draft."""
    shipped: Version | None = None


class DecidedGate:
    """The gate of a draft on which the replay has decided already."""

    def __init__(self, decision: Decision) -> None:
        self._decision = decision

    def decide(self, draft: Draft, before: Package | None, after: Package) -> Decision:  # noqa: ARG002
        """What the replay said."""
        return self._decision


def replay_draft(
    library: Library,
    draft: str,
    options: ReplayOptions,
    *,
    ship: bool = False,
) -> Generator[Event, None, Replayed]:
    """Judge a draft on accepted cases; with `ship`, one that passes goes through the one door as any other does."""
    ctx, found = library.ctx, get_open_draft(library, draft)
    change = proposed_change(library, found)
    fitting, taught = cases_for(library, found, change.after)
    decision = yield from decide_by_replay(library, change.before, change.after, fitting, options)
    noted = _note(ctx, found, decision)
    if decision.action not in PASSING or not ship:
        return Replayed(draft=noted, decision=decision, cases=len(fitting), taught=taught)
    done = ship_if_gate_agrees(library, noted, RoutingGate(library, DecidedGate(decision)))
    shipped = done if isinstance(done, Version) else None
    left = noted if isinstance(done, Version) else done
    return Replayed(draft=left, decision=decision, cases=len(fitting), taught=taught, shipped=shipped)


def cases_for(library: Library, draft: Draft, package: Package) -> tuple[tuple[Case, ...], int]:
    """The accepted cases of a draft's kind of work that did not teach it, and how many did.

    Of its kind is a case whose run has the draft's pattern, or for whose request the draft would be selected.
    """
    accepted = list_cases(library.ctx, "accepted")
    if not accepted:
        return (), 0
    with library.ctx.store.read() as transaction:
        alike = members.of_pattern(transaction, draft.pattern) if draft.pattern else []
    same, taught = {f"run:{one.run}" for one in alike}, {f"run:{run}" for run in draft.provenance.runs}
    chosen = would_serve(library, draft.target, package, [case.input for case in accepted])
    near = [case for case, serves in zip(accepted, chosen, strict=True) if case.origin in same or serves]
    fitting = tuple(case for case in near if case.origin not in taught)
    return fitting, len(near) - len(fitting)


def decide_by_replay(
    library: Library, before: Package | None, after: Package, cases: tuple[Case, ...], options: ReplayOptions
) -> Generator[Event, None, Decision]:
    """What cases say of a change, with the target in the reason: it is proven there and nowhere else."""
    decision = yield from _decision(library, before, after, cases, options)
    target = options.target if isinstance(options.target, str) else getattr(options.target, "identity", "your agent")
    if target == "chat":
        target = f"chat={library.ctx.config.models.model}"
    return replace(decision, reason=f"replay on {target}: {decision.reason}")


def _decision(
    library: Library, before: Package | None, after: Package, cases: tuple[Case, ...], options: ReplayOptions
) -> Generator[Event, None, Decision]:
    if len(cases) < LEAST:
        count = f"{len(cases)} case{'' if len(cases) == 1 else 's'}"
        reason = f"too few to tell: {count}, and at least {LEAST} are needed. Make some: metier cases build"
        return Decision(action="uninformative", reason=reason)
    if command := missing_consent(library.ctx, options.target, options.judge):
        raise RefusedError(f"Cases hold text of your sessions. It is sent only after your yes: {command}")
    order = Order(
        skill="/replay",
        start=after,
        cases=cases,
        target=options.target,
        optimiser=options.judge,
        limits=options.limits,
        workers=options.workers,
        seconds=options.seconds,
        commands=options.commands,
        elsewhere=options.elsewhere,
    )
    done = yield from evaluate(library, order, EvaluatedSide(name="without the draft", package=before))
    return done.confirmation.decision


def _note(ctx: Context, draft: Draft, decision: Decision) -> Draft:
    """Keep what the replay said with the draft; an earlier replay's word goes."""
    kept = tuple(one for one in draft.notes if not one.startswith("replay "))
    noted = replace(draft, notes=(*kept, f"{decision.reason} ({decision.action})"), updated=ctx.now())
    noted = note_objection(noted, decision.reason if decision.action == "reject" else "")
    with ctx.store.write() as transaction:
        drafts.put(transaction, noted)
        note_action(transaction, ctx, f"replay: {decision.action}", f"{draft.id} {draft.hash}", decision.reason)
    return noted
