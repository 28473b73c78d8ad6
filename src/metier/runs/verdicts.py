"""What a person, or an agent, says of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from metier.context.audit import note_action
from metier.errors import RefusedError
from metier.formats.strict_json import clean
from metier.runs import skill_usage as usage
from metier.runs.derive import seen_skills, success_of, valid_name
from metier.store.tables.library import profiles
from metier.store.tables.runs import runs, verdicts
from metier.types import Verdict

if TYPE_CHECKING:
    from metier.context.context import Context
    from metier.store.engines.engine import Transaction
    from metier.types import Record

Mark = Literal["good", "bad", "unset"]


def mark_run(ctx: Context, run: str, word: Mark, reason: str = "") -> Record:
    """Store a person's verdict on a run; it wins over every other and makes the run new evidence."""
    reason = ctx.redact(clean(reason))
    with ctx.store.write() as transaction:
        record = runs.get(transaction, run)
        success = success_of(record.run) if word == "unset" else word == "good"
        if word == "unset":
            verdicts.clear(transaction, record.id)
        else:
            verdict = Verdict(run=record.id, success=success, reason=reason, judge="person", decided=ctx.now())
            verdicts.put(transaction, verdict)
        runs.set_success(transaction, record.id, success)
        _recount(transaction, record, success)
        note_action(transaction, ctx, f"mark {word}", record.id, reason)
        return runs.get(transaction, record.id)


def note_agents_word(ctx: Context, run: str, *, good: bool, reason: str = "") -> Record:
    """Store what an agent says of a run; a person's verdict or a stated outcome stays, a claimed success is judged."""
    reason = ctx.redact(clean(reason))
    with ctx.store.write() as transaction:
        record = runs.get(transaction, run)
        known = verdicts.get(transaction, record.id)
        if (known and known.judge == "person") or record.run.outcome is not None:
            raise RefusedError(f"It is known how run {record.id} went. Only a person can change that: metier runs mark")
        verdicts.clear(transaction, record.id)
        if not good:
            verdict = Verdict(run=record.id, success=False, reason=reason, judge="agent", decided=ctx.now())
            verdicts.put(transaction, verdict)
        runs.set_success(transaction, record.id, good)
        _recount(transaction, record, good)
        note_action(transaction, ctx, f"agent marks {'good' if good else 'bad'}", record.id, reason)
        return runs.get(transaction, record.id)


def _recount(transaction: Transaction, record: Record, success: bool | None) -> None:  # noqa: FBT001
    """Count a run's skills by its new verdict."""
    found = [profiles.get(transaction, name) for name in seen_skills(record.run) if valid_name(name)]
    changed = [usage.correct_use(profile, record.success, success) for profile in found if profile is not None]
    profiles.put(transaction, changed)
