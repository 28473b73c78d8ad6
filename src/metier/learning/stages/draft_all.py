"""The last part of a pass: every ready pattern gets what it needs, and none of them holds up another."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, assert_never

from metier.context.audit import note_action
from metier.errors import MetierError, StoreError
from metier.events import Advanced, Began, Ended, Noted
from metier.learning.drafting.heuristic import HeuristicDrafter
from metier.learning.patterns import Generate, Leave, Refresh, Situation, in_order, next_step
from metier.learning.stages.write_draft import GATE, NoDraft, keep_approval
from metier.store.tables.learning import patterns
from metier.store.tables.library import drafts
from metier.types.passes import Taken
from metier.types.reviews import OPEN, may_ship
from metier.types.skills import Version

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from metier.context.context import Context
    from metier.events import Event
    from metier.learning.patterns import Step
    from metier.learning.stages.write_draft import DraftWriter
    from metier.library.proposals.gate import ShipGate
    from metier.library.skills import Library
    from metier.store.engines.engine import Transaction
    from metier.types import Draft, Pattern

TOGETHER = 50
"""Drafts kept in one transaction, where they are quick to write: what a kill takes is simply written again."""


def write_all(writer: DraftWriter, gate: ShipGate | None, *, save: bool) -> Generator[Event, None, tuple[Taken, ...]]:
    """Draft or refresh every ready pattern that calls for it; with a gate, ship what passes."""
    work = _work(writer, ship=gate is not None)
    yield Began(stage="draft", total=len(work))
    done: list[Taken] = []
    step = TOGETHER if gate is None and isinstance(writer.drafter, HeuristicDrafter) else 1
    for start in range(0, len(work), step):
        for taken in _taken(writer, gate, work[start : start + step], save=save):
            done.append(taken)
            if taken.version is not None:
                writer.existing.add_shipped(taken.version)
            if taken.what == "failed":
                yield Noted(stage="draft", text=f"{taken.label}: {taken.reason}", level="error")
            yield Advanced(stage="draft", done=len(done), total=len(work), note=taken.label)
    written = sum(one.draft is not None for one in done)
    yield Ended(stage="draft", text=f"{written} drafts, {sum(one.version is not None for one in done)} shipped")
    return tuple(done)


Work = tuple["Pattern", "Generate | Refresh", "tuple[Draft, ...]"]


def _work(writer: DraftWriter, *, ship: bool) -> list[Work]:
    """The patterns that something is to be done for, oldest first."""
    with writer.library.ctx.store.read() as transaction:
        there = {one.id: one for one in patterns.list_all(transaction, "ready")}
        tried = patterns.attempts(transaction)
        by_pattern: dict[str, list[Draft]] = {}
        for one in drafts.list_all(transaction):
            by_pattern.setdefault(one.pattern, []).append(one)
    if writer.unsaved:
        there |= {one.id: one for one in (*writer.unsaved.extended, *writer.unsaved.new)}
    found: list[Work] = []
    for pattern in in_order(there.values()):
        mine = tuple(by_pattern.get(pattern.id, ()))
        step = _step(writer, pattern, mine, ship=ship)
        vain = writer.was_tried_recently(pattern, tried.get(pattern.id, ("", ""))[0])
        if isinstance(step, Leave) or (isinstance(step, Generate) and vain):
            continue
        found.append((pattern, step, mine))
    return found


def _step(writer: DraftWriter, pattern: Pattern, mine: tuple[Draft, ...], *, ship: bool) -> Step:
    """What a pattern calls for; an open draft that nothing has changed about is left alone unless it can ship."""
    ratio = next((one.ratio for one in reversed(mine) if one.ratio is not None), None)
    now = Situation(drafter=writer.drafter.name, min_runs=writer.library.ctx.config.learning.min_runs, ratio_then=ratio)
    step = next_step(pattern, mine, now)
    if not isinstance(step, Refresh) or (ship and may_ship(step.draft)):
        return step
    same = writer.is_up_to_date(pattern, step.draft)
    return Leave(reason="its draft is open, and nothing has changed") if same else step


def _taken(writer: DraftWriter, gate: ShipGate | None, work: Sequence[Work], *, save: bool) -> list[Taken]:
    """Some patterns, whatever happens in one of them."""
    made = [_made(writer, one) for one in work]
    if not save:
        return [one.taken for one in made]
    _note_attempts(writer, [one.failed for one in made if one.failed])
    kept = _kept(writer, work, [one.taken for one in made])
    return kept if gate is None else [_gated(writer.library, gate, one) for one in kept]


class _Attempt(NamedTuple):
    """Who tried in vain to draft a pattern, and why nothing came of it."""

    pattern: Pattern
    reason: str
    drafter: str


class _Made(NamedTuple):
    """What comes of one pattern, not kept yet."""

    taken: Taken
    failed: _Attempt | None = None


def _made(writer: DraftWriter, work: Work) -> _Made:
    """What comes of one pattern, not kept yet."""
    pattern, step, earlier = work
    result = Taken(pattern=pattern.id, label=pattern.label, what="failed", reason=step.reason)
    try:
        written = _written(writer, pattern, step, earlier)
    except Exception as error:  # noqa: BLE001 - one poisoned pattern must not keep the others from being learned
        return _failed(writer, pattern, result, error)
    if isinstance(written, NoDraft):
        taken = replace(result, what="refused" if written.refused else "left", reason=written.reason)
        return _Made(taken, _Attempt(pattern, written.reason, written.drafter))
    if isinstance(step, Refresh) and _says_the_same(written, step.draft):
        return _Made(replace(result, what="left", draft=written))
    return _Made(replace(result, what="drafted" if isinstance(step, Generate) else "refreshed", draft=written))


def _says_the_same(new: Draft, old: Draft) -> bool:
    """Whether a person would see no difference between two states of a draft."""
    return replace(new, basis=old.basis, updated=old.updated) == old


def _kept(writer: DraftWriter, work: Sequence[Work], made: Sequence[Taken]) -> list[Taken]:
    """What was made, with each draft in the store, or with why it is not."""
    pairs = list(zip(work, made, strict=True))
    written = [Written(one.draft, step, earlier) for (_, step, earlier), one in pairs if one.draft is not None]
    found = iter(save_drafts(writer.library.ctx, written))
    kept: list[_Made] = []
    for (pattern, _, _), one in pairs:
        now = None if one.draft is None else next(found)
        if isinstance(now, Exception):
            kept.append(_failed(writer, pattern, replace(one, draft=None), now))
        else:
            kept.append(_Made(replace(one, draft=now)))
    _note_attempts(writer, [one.failed for one in kept if one.failed])
    return [one.taken for one in kept]


def _failed(writer: DraftWriter, pattern: Pattern, taken: Taken, error: Exception) -> _Made:
    """A pattern of which nothing came; what is no fault of the store or of a person is not tried again in vain."""
    if isinstance(error, MetierError):
        return _Made(replace(taken, what="failed", reason=str(error)))
    reason = f"{type(error).__name__}: {error}"[:300]
    return _Made(replace(taken, what="failed", reason=reason), _Attempt(pattern, reason, writer.drafter.name))


def _note_attempts(writer: DraftWriter, failed: Sequence[_Attempt]) -> None:
    """Remember that nothing came of some patterns, so that nobody tries the same again in vain."""
    if not failed:
        return
    with suppress(StoreError), writer.library.ctx.store.write() as transaction:
        for one in failed:
            key = writer.attempt_key(one.pattern, one.drafter)
            patterns.note_attempt(transaction, one.pattern.id, key, one.reason)


def _written(
    writer: DraftWriter, pattern: Pattern, step: Generate | Refresh, earlier: Sequence[Draft]
) -> Draft | NoDraft:
    match step:
        case Generate():
            return writer.write(pattern, earlier)
        case Refresh(draft=draft):
            return draft if writer.is_up_to_date(pattern, draft) else writer.refresh(pattern, draft)
        case _:
            assert_never(step)


def _gated(library: Library, gate: ShipGate, taken: Taken) -> Taken:
    """What was made, shipped where review and the gate let it through."""
    if taken.draft is None:
        return taken
    try:
        return _shipped(library, gate, taken, taken.draft)
    except MetierError as error:
        return replace(taken, what="failed", reason=str(error))
    except Exception as error:  # noqa: BLE001 - as above
        return replace(taken, what="failed", reason=f"{type(error).__name__}: {error}"[:300])


def _shipped(library: Library, gate: ShipGate, result: Taken, draft: Draft) -> Taken:
    """A draft that review lets through, shipped if the gate has nothing against it."""
    from metier.library.proposals.gate import DOUBT
    from metier.library.proposals.ship import ship_if_gate_agrees

    if not may_ship(draft):
        reason = "needs a person's yes" if draft.status == "candidate" else "quarantined by review"
        return replace(result, reason=reason)
    try:
        outcome = ship_if_gate_agrees(library, draft, gate)
    except MetierError as error:
        with library.ctx.store.read() as transaction:
            now = drafts.get(transaction, draft.id)
        return replace(result, what="failed", reason=str(error), draft=now)
    if isinstance(outcome, Version):
        accepted = replace(draft, status="accepted")
        return replace(result, what="applied", draft=accepted, version=outcome)
    if outcome.status == draft.status:
        said = next((one.removeprefix(DOUBT) for one in outcome.notes if one.startswith(DOUBT)), "")
        why = f"not proven ({said})" if said else "nothing proves it yet"
        return replace(result, reason=f"{why}, so it waits for your yes", draft=outcome)
    return replace(result, reason=f"the gate said no: {outcome.notes[-1].removeprefix(GATE)}", draft=outcome)


class Written(NamedTuple):
    """A draft, the step it was written for, and those its pattern has already."""

    draft: Draft
    step: Generate | Refresh
    earlier: Sequence[Draft]

    @property
    def is_new(self) -> bool:
        """Whether there is anything to keep."""
        return not (isinstance(self.step, Refresh) and self.draft == self.step.draft)


def save_drafts(ctx: Context, written: Sequence[Written]) -> list[Draft | Exception]:
    """Each draft as it was kept, or why it was not: all in one transaction, and each in its own where that fails."""
    if len(written) > 1:
        try:
            return list(_put_all(ctx, written))
        except Exception:  # noqa: BLE001, S110 - whose fault it is shows when they are kept one by one
            pass
    found: list[Draft | Exception] = []
    for one in written:
        try:
            found += _put_all(ctx, [one])
        except Exception as error:  # noqa: BLE001 - it is handed over with its draft
            found.append(error)
    return found


def _put_all(ctx: Context, written: Sequence[Written]) -> list[Draft]:
    if not any(one.is_new for one in written):
        return [one.draft for one in written]
    with ctx.store.write() as transaction:
        return [_put(transaction, ctx, one) if one.is_new else one.draft for one in written]


def _put(transaction: Transaction, ctx: Context, written: Written) -> Draft:
    """Keep a draft; those of its pattern that waited for a decision are superseded by a new one."""
    draft = written.draft
    for old in written.earlier:
        if old.id == draft.id:  # somebody may have said yes to these very bytes a moment ago
            draft = keep_approval(drafts.get(transaction, old.id), draft)
            drafts.move(transaction, draft, expected=old.status, hash_=old.hash)
        elif isinstance(written.step, Generate) and old.status in OPEN:
            now = replace(old, status="superseded", updated=ctx.now())
            drafts.move(transaction, now, expected=old.status, hash_=old.hash)
    drafts.put(transaction, draft)
    note_action(transaction, ctx, "draft", f"{draft.id} {draft.hash}", f"{draft.status}: {draft.summary}")
    return draft
