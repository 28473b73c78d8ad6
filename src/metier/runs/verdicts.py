"""A person's verdict on a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from metier.context.audit import note_action
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


def _recount(transaction: Transaction, record: Record, success: bool | None) -> None:  # noqa: FBT001
    """Count a run's skills by its new verdict."""
    found = [profiles.get(transaction, name) for name in seen_skills(record.run) if valid_name(name)]
    changed = [usage.correct_use(profile, record.success, success) for profile in found if profile is not None]
    profiles.put(transaction, changed)
