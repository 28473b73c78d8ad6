"""Recording: runs in, each redacted, kept once, its skills' profiles touched, in one durable transaction."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Literal

from metier.config.switch import off_reason
from metier.errors import InputError
from metier.formats.run_json import dump_run, parse_run
from metier.hooks.workspace import is_ignored
from metier.runs import skill_usage as usage
from metier.runs.derive import record_of, redact_run, seen_skills, valid_name
from metier.store.tables.library import profiles
from metier.store.tables.runs import full_text as search
from metier.store.tables.runs import runs
from metier.store.tables.selection import requests
from metier.types import Delivery, Record, Run
from metier.types.skills import Profile

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from metier.context.context import Context
    from metier.store.engines.engine import Transaction

Known = Literal["nothing", "parsed", "redacted"]
"""What is known of runs that are handed in: parsed ones have the right shape, redacted ones no secrets either."""
BATCH = 1000
"""Runs per transaction."""
REMOVED = "removed by you before; `metier runs readmit ID` lets it back in"
log = logging.getLogger("metier")


def record_run(ctx: Context, run: Run) -> Delivery:
    """Record one finished run; an error is logged and returned, never raised into the agent's own flow."""
    try:
        return record_runs(ctx, [run])[0]
    except Exception as error:  # noqa: BLE001 - a failure of ours must not become the agent's
        log.warning("A run was not recorded: %s", error)
        return Delivery(how="refused", reason=str(error))


def record_runs(ctx: Context, given: Iterable[Run], known: Known = "nothing") -> list[Delivery]:
    """Record runs in batches; `known` says what was done to them already."""
    done: list[Delivery] = []
    for batch in _batches(given):
        checked = records_of(ctx, batch, known)
        records = [one for one in checked if isinstance(one, Record)]
        kept: Iterator[Delivery] = iter(())
        if records:
            with ctx.store.write() as transaction:
                kept = iter(store_records(transaction, records))
        done += [next(kept) if isinstance(one, Record) else one for one in checked]
    return done


def store_records(transaction: Transaction, records: Sequence[Record]) -> list[Delivery]:
    """Store records and touch the profiles of their skills, inside a transaction of the caller's."""
    kept = runs.keep(transaction, records)
    notes = _touch(transaction, list(zip(records, kept, strict=True)))
    claims = [
        (record.run.selection, one.id)
        for record, one in zip(records, kept, strict=True)
        if record.run.selection and one.how != "removed"
    ]
    if claims:
        requests.claim(transaction, claims)
    changed = [one.id for one in kept if one.how == "updated"]
    if changed:
        search.refresh(transaction, changed)
    return [
        Delivery(how="skipped", id=one.id, reason=REMOVED)
        if one.how == "removed"
        else Delivery(how=one.how, id=one.id, notes=tuple(note))
        for one, note in zip(kept, notes, strict=True)
    ]


def records_of(ctx: Context, batch: Sequence[Run], known: Known = "nothing") -> list[Record | Delivery]:
    """Each run as a record, or why it is not recorded."""
    closed = why_closed(ctx)
    if closed:
        return [Delivery(how="skipped", reason=closed) for _ in batch]
    now = ctx.now()
    return [_heartbeat() if run.is_heartbeat else _checked(ctx, run, now, known) for run in batch]


def why_closed(ctx: Context) -> str:
    """Why nothing at all is recorded here, if so."""
    if not ctx.config.enabled:
        return off_reason(ctx.settings)
    return "the workspace is on the ignore list" if is_ignored(str(ctx.root), ctx.config.ignore) else ""


def _heartbeat() -> Delivery:
    return Delivery(how="skipped", reason="heartbeat")


def _checked(ctx: Context, run: Run, now: str, known: Known) -> Record | Delivery:
    if known == "redacted":
        return record_of(run, ctx.name, now)
    try:
        checked = run if known == "parsed" else parse_run(dump_run(run))
    except InputError as error:
        return Delivery(how="refused", reason=str(error))
    if size_of(checked) > ctx.config.max_record_mb * 1024 * 1024:
        return Delivery(how="refused", reason=f"the run is larger than {ctx.config.max_record_mb} MiB (max_record_mb)")
    return record_of(redact_run(checked, ctx.redact), ctx.name, now)


def _touch(transaction: Transaction, pairs: Sequence[tuple[Record, runs.StoredRun]]) -> list[list[str]]:
    """Count each run once for every skill it met; names that cannot be a skill's are noted and skipped."""
    found: dict[str, Profile] = {}
    notes: list[list[str]] = []
    for record, kept in pairs:
        names = seen_skills(record.run) if kept.how in ("new", "updated") else ()
        notes.append([f"'{name[:80]}' is not a skill name; not counted" for name in names if not valid_name(name)])
        for name in filter(valid_name, names):
            key = name.casefold()
            known = found.get(key) or profiles.get(transaction, name)
            found[key] = _counted(known or Profile(skill=name, workspace=transaction.workspace), record, kept.before)
    if found:
        profiles.put(transaction, found.values())
    return notes


def _counted(profile: Profile, record: Record, before: Record | None) -> Profile:
    """The profile after a run met its skill; one that was counted for an earlier revision is only corrected."""
    key = profile.skill.casefold()
    if before is not None and key in map(str.casefold, seen_skills(before.run)):
        return usage.correct_use(profile, before.success, record.success)
    return usage.count_use(profile, record.success, record.run.ended or record.recorded)


def size_of(run: Run) -> int:
    """Characters of a run's texts."""
    tools = sum(len(tool.input) + len(tool.output) + len(tool.error or "") + len(tool.said) for tool in run.tools)
    texts = sum(len(piece.text) for piece in run.context) + sum(len(shown.body) for shown in run.skills.shown)
    texts += sum(len(one.message) + len(one.before) + len(one.reply) for one in run.exchanges)
    return len(run.message) + len(run.output) + len(run.correction or "") + tools + texts


def _batches(given: Iterable[Run]) -> Iterator[list[Run]]:
    batch: list[Run] = []
    for run in given:
        batch.append(run)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch
