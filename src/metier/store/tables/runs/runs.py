"""Runs in the store: kept once each, updated where they grew, removed for good.

The table's key is the run's id with its last third, the session's, moved to the front: runs of one session lie together
in the index, so that recording costs the same in a store of a million runs as in an empty one.
"""

from __future__ import annotations

import json
import re
from hashlib import blake2b
from typing import TYPE_CHECKING, Literal, NamedTuple, cast

from metier.errors import InputError, NotFoundError, RefusedError
from metier.formats.run_json import dump_run, parse_run
from metier.store.tables.learning import members, sightings, waiting
from metier.store.tables.run_keys import ID, OWN, SESSION, id_of, in_parts, key_of
from metier.store.tables.runs import verdicts
from metier.types import LearningState, Record, Run

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

    from metier.store.engines.engine import Row, Transaction, Value
    from metier.types import Verdict

How = Literal["new", "duplicate", "updated", "removed"]
COLUMNS = "sequence, workspace, key, summary, success, used, state, revision, recorded, body"
HEX = re.compile("[0-9a-f]{1,24}")
ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False)
INSERT = (
    "INSERT INTO runs (key, workspace, source, session, external_id, agent, started, summary, success, used, state,"
    " revision, size, content, recorded, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'new', 1, ?, ?, ?, ?)"
)
UPDATE = (
    "UPDATE runs SET source = ?, session = ?, external_id = ?, agent = ?, started = ?, summary = ?, success = ?,"
    " used = ?, state = 'new', revision = revision + 1, size = ?, content = ?, recorded = ?, body = ? WHERE key = ?"
    f" AND {OWN}"
)


class StoredRun(NamedTuple):
    """What became of one delivered run; `before` is what an update replaced."""

    id: str
    how: How
    before: Record | None = None


class SeenRun(NamedTuple):
    """What a run was when learning looked at it."""

    revision: int
    success: bool | None
    """As claimed or stated."""
    verdict: Verdict | None = None


def keep(transaction: Transaction, records: Sequence[Record]) -> list[StoredRun]:
    """Store each run once: new ones are inserted, grown ones updated, equal ones left alone, removed ones stay away."""
    removed = _removed(transaction, [record.id for record in records])
    rows = [_row(record) for record in records]
    if not removed and _all_new(transaction, rows):
        return [StoredRun(record.id, "new") for record in records]
    known = _contents(transaction, [record.id for record in records])
    kept: list[StoredRun] = []
    for record, row in zip(records, rows, strict=True):
        content = str(row[-3])
        if record.id in removed:
            kept.append(StoredRun(record.id, "removed"))
            continue
        if record.id not in known:
            transaction.many(INSERT, [row])
            kept.append(StoredRun(record.id, "new"))
        elif known[record.id] == content:
            kept.append(StoredRun(record.id, "duplicate"))
        else:
            kept.append(_update(transaction, record, row))
        known[record.id] = content
    return kept


def _all_new(transaction: Transaction, rows: Sequence[tuple[Value, ...]]) -> bool:
    """Insert the rows, provided that none of them is there already: then nothing is changed."""
    transaction.all("SAVEPOINT fresh")
    good = transaction.many(INSERT + " ON CONFLICT (key) DO NOTHING", rows) == len(rows)
    if not good:
        transaction.all("ROLLBACK TO SAVEPOINT fresh")
    transaction.all("RELEASE SAVEPOINT fresh")
    return good


def get(transaction: Transaction, run: str) -> Record:
    """One run by its id or by the unique beginning of it."""
    wanted = run.strip().lower()
    found = "key = ?" if len(wanted) == ID else "key IN (SELECT key FROM runs WHERE key LIKE ?)"
    pattern = key_of(wanted) if len(wanted) == ID else "_" * SESSION + wanted + "%"
    rows: list[Row] = []
    if HEX.fullmatch(wanted):
        sql = f"SELECT {COLUMNS} FROM runs WHERE {found} AND workspace = ? ORDER BY sequence LIMIT 2"
        rows = transaction.all(sql, (pattern, transaction.workspace))
    if not rows:
        raise NotFoundError(f"There is no run '{run}' here. `metier runs list` shows them.")
    if len(rows) > 1:
        raise RefusedError(f"'{run}' is the beginning of more than one run's id. Give more of it.")
    return decode(rows[0])


def page(transaction: Transaction, *, below: int | None = None, limit: int = 50) -> list[Record]:
    """Runs newest first, from below a sequence."""
    rows = transaction.all(
        f"SELECT {COLUMNS} FROM runs WHERE workspace = ? AND sequence < ? ORDER BY sequence DESC LIMIT ?",
        (transaction.workspace, below or 2**62, limit),
    )
    return [decode(row) for row in rows]


def at(transaction: Transaction, sequences: Sequence[int]) -> list[Record]:
    """The runs with these sequences that belong to the workspace, newest first."""
    found: list[Record] = []
    for part in in_parts(sequences):
        marks = ", ".join("?" * len(part))
        sql = f"SELECT {COLUMNS} FROM runs WHERE sequence IN ({marks}) AND workspace = ?"
        found += [decode(row) for row in transaction.all(sql, (*part, transaction.workspace))]
    return sorted(found, key=lambda record: -record.sequence)


def count(transaction: Transaction) -> int:
    """How many runs the workspace has."""
    return cast("int", transaction.all("SELECT count(*) FROM runs WHERE workspace = ?", (transaction.workspace,))[0][0])


def count_all(transaction: Transaction) -> int:
    """How many runs of any workspace are in the store."""
    return cast("int", transaction.all("SELECT count(*) FROM runs")[0][0])


def newest(transaction: Transaction) -> str:
    """When the newest run was recorded, by the clock of that time; empty: there is none."""
    rows = transaction.all("SELECT max(recorded) FROM runs WHERE workspace = ?", (transaction.workspace,))
    return str(rows[0][0] or "")


def new_runs(transaction: Transaction, *, after: int = 0, limit: int = 1000) -> list[Record]:
    """Runs that learning has not looked at as they are now, oldest first, behind a sequence."""
    rows = transaction.all(
        f"SELECT {COLUMNS} FROM runs WHERE workspace = ? AND state = 'new' AND sequence > ?"
        " AND NOT EXISTS (SELECT 1 FROM waiting WHERE waiting.key = runs.key) ORDER BY sequence LIMIT ?",
        (transaction.workspace, after, limit),
    )
    return [decode(row) for row in rows]


def count_new(transaction: Transaction) -> int:
    """How many runs learning has not looked at as they are now."""
    sql = (
        "SELECT count(*) FROM runs WHERE workspace = ? AND state = 'new'"
        " AND NOT EXISTS (SELECT 1 FROM waiting WHERE waiting.key = runs.key)"
    )
    return cast("int", transaction.all(sql, (transaction.workspace,))[0][0])


def changed_since(transaction: Transaction, seen: Mapping[str, SeenRun]) -> set[str]:
    """The runs that are not any more what they were when learning looked at them: grown, marked, removed."""
    there: dict[str, tuple[int, bool | None]] = {}
    for part in in_parts(list(seen)):
        sql = f"SELECT key, revision, success FROM runs WHERE key IN ({', '.join('?' * len(part))}) AND {OWN}"
        for key, revision, success in transaction.all(sql, (*map(key_of, part), transaction.workspace)):
            known = None if success is None else bool(success)
            there[id_of(str(key))] = (cast("int", revision), known)
    said = verdicts.get_many(transaction, list(seen))
    return {
        run
        for run, before in seen.items()
        if there.get(run) != (before.revision, before.success) or _said(said.get(run)) != _said(before.verdict)
    }


def look_again(transaction: Transaction, ids: Iterable[str]) -> None:
    """Take back what was learned of runs, so that they are new evidence."""
    keys = [key_of(run) for run in sorted(ids)]
    _unlearn(transaction, keys)
    own = [(key, transaction.workspace) for key in keys]
    transaction.many(f"UPDATE runs SET state = 'new' WHERE key = ? AND {OWN}", own)


def get_many(transaction: Transaction, ids: Sequence[str]) -> list[Record]:
    """The runs with these ids that are still there, oldest first."""
    found: list[Record] = []
    for part in in_parts(ids):
        sql = f"SELECT {COLUMNS} FROM runs WHERE key IN ({', '.join('?' * len(part))}) AND {OWN}"
        found += [decode(row) for row in transaction.all(sql, (*map(key_of, part), transaction.workspace))]
    return sorted(found, key=lambda record: record.sequence)


def get_current(transaction: Transaction, ids: Sequence[str], known: Mapping[str, Record]) -> list[Record]:
    """The runs of these ids that are there; one that is known, and has not changed since, is not read again."""
    kept = still_unchanged(transaction, [known[run] for run in ids if run in known])
    there = {one.id for one in kept}
    return kept + get_many(transaction, [run for run in ids if run not in there])


def still_unchanged(transaction: Transaction, records: Sequence[Record]) -> list[Record]:
    """Those of some records whose runs are still what was read."""
    there: set[tuple[str, int, int]] = set()
    for part in in_parts(records):
        sql = f"SELECT key, sequence, revision FROM runs WHERE key IN ({', '.join('?' * len(part))}) AND {OWN}"
        rows = transaction.all(sql, (*(key_of(one.id) for one in part), transaction.workspace))
        there.update((id_of(str(key)), cast("int", sequence), cast("int", number)) for key, sequence, number in rows)
    return [one for one in records if (one.id, one.sequence, one.revision) in there]


def ids_before(transaction: Transaction, moment: str) -> list[str]:
    """Runs that were recorded before a moment, oldest first."""
    sql = "SELECT key FROM runs WHERE workspace = ? AND recorded < ? ORDER BY sequence"
    return [id_of(str(row[0])) for row in transaction.all(sql, (transaction.workspace, moment))]


def all_ids(transaction: Transaction) -> list[str]:
    """All runs of a workspace, oldest first."""
    sql = "SELECT key FROM runs WHERE workspace = ? ORDER BY sequence"
    return [id_of(str(row[0])) for row in transaction.all(sql, (transaction.workspace,))]


def total_size(transaction: Transaction) -> int:
    """Characters that a workspace's runs take."""
    sql = "SELECT coalesce(sum(size), 0) FROM runs WHERE workspace = ?"
    return int(cast("int", transaction.all(sql, (transaction.workspace,))[0][0]))


def oldest_ids(transaction: Transaction, weight: int, kept: Container[str] = ()) -> list[str]:
    """The runs recorded first that together take at least this much; never the newest one, and none that is kept."""
    sizes = transaction.all(
        "SELECT key, size FROM runs WHERE workspace = ? ORDER BY sequence", (transaction.workspace,)
    )
    found: list[str] = []
    taken = 0
    for key, size in sizes[:-1]:
        if taken >= weight:
            break
        if (run := id_of(str(key))) not in kept:
            found.append(run)
            taken += cast("int", size)
    return found


def ids_of_session(transaction: Transaction, session: str) -> list[str]:
    """The runs of one session, oldest first."""
    sql = "SELECT key FROM runs WHERE workspace = ? AND session = ? ORDER BY sequence"
    return [id_of(str(row[0])) for row in transaction.all(sql, (transaction.workspace, session))]


def session_part(run: str) -> str:
    """The part of a run's id that all runs of its session share."""
    return key_of(run)[:SESSION]


def with_session_part(transaction: Transaction, part: str, limit: int) -> list[Record]:
    """The runs of the session whose ids share a part, at most so many."""
    sql = f"SELECT {COLUMNS} FROM runs WHERE key >= ? AND key < ? AND {OWN} ORDER BY key LIMIT ?"
    return [decode(row) for row in transaction.all(sql, (part, f"{part}g", transaction.workspace, limit))]


def remove(transaction: Transaction, ids: Sequence[str], now: str) -> int:
    """Take runs out for good, their words and verdicts too; only their ids stay, so that they do not come back."""
    from metier.store.tables.server import trace_spans

    gone = 0
    for part in in_parts(ids):
        marks = ", ".join("?" * len(part))
        rows = transaction.all(
            f"DELETE FROM runs WHERE key IN ({marks}) AND {OWN} RETURNING sequence, key",
            (*map(key_of, part), transaction.workspace),
        )
        names = [(id_of(str(row[1])),) for row in rows]
        transaction.many(transaction.dialect.fulltext_delete, [(row[0],) for row in rows])
        transaction.many("DELETE FROM verdicts WHERE run = ?", names)
        _unlearn(transaction, [str(row[1]) for row in rows])
        transaction.many(
            "INSERT INTO removed_runs (id, workspace, removed) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING",
            [(*name, transaction.workspace, now) for name in names],
        )
        gone += len(rows)
    trace_spans.forget_built(transaction, now)
    return gone


def readmit(transaction: Transaction, run: str) -> bool:
    """Let a removed run be recorded again, should it be delivered."""
    sql = "DELETE FROM removed_runs WHERE id = ? AND workspace = ? RETURNING id"
    return bool(transaction.all(sql, (run, transaction.workspace)))


def set_success(transaction: Transaction, run: str, success: bool | None) -> None:  # noqa: FBT001
    """Change what is known of a run's success; it is then new evidence."""
    sql = f"UPDATE runs SET success = ?, state = 'new' WHERE key = ? AND {OWN}"
    transaction.all(sql, (_bit(success), key_of(run), transaction.workspace))
    _unlearn(transaction, [key_of(run)])


def encode(record: Record) -> str:
    """A run as the JSON text the store keeps."""
    return ENCODER.encode(dump_run(record.run))


def decode(row: Row) -> Record:
    """A stored row as a record."""
    sequence, workspace, key, summary, success, used, state, revision, recorded, body = row
    return Record(
        id=id_of(str(key)),
        run=_run(str(body), str(summary)),
        sequence=cast("int", sequence),
        workspace=str(workspace),
        revision=cast("int", revision),
        summary=str(summary),
        success=None if success is None else bool(success),
        used=tuple(json.loads(str(used))),
        state=cast("LearningState", state),
        recorded=str(recorded),
    )


def count_damaged(transaction: Transaction, limit: int) -> int:
    """How many of the newest runs are not what was stored."""
    sql = "SELECT content, body FROM runs WHERE workspace = ? ORDER BY sequence DESC LIMIT ?"
    return sum(content != _hash(str(body)) for content, body in transaction.all(sql, (transaction.workspace, limit)))


def _run(body: str, summary: str) -> Run:
    """The stored run; of one that was damaged on disk, what is left of it, so that it is not in the way of others."""
    try:
        return parse_run(json.loads(body))
    except (ValueError, RecursionError, InputError):
        return Run(message=summary, agent="(damaged record)")


def _hash(body: str) -> str:
    return blake2b(body.encode(), digest_size=15).hexdigest()


def _update(transaction: Transaction, record: Record, row: tuple[Value, ...]) -> StoredRun:
    key = row[0]
    sql = f"SELECT {COLUMNS} FROM runs WHERE key = ? AND {OWN}"
    before = decode(transaction.all(sql, (key, transaction.workspace))[0])
    transaction.all(UPDATE, (*row[2:], key, transaction.workspace))
    transaction.all("DELETE FROM verdicts WHERE run = ?", (record.id,))
    _unlearn(transaction, [str(key)])
    return StoredRun(record.id, "updated", before)


def _unlearn(transaction: Transaction, keys: Sequence[str]) -> None:
    """Take back what learning made of runs that changed or went away."""
    members.drop(transaction, keys)
    waiting.drop(transaction, keys)
    sightings.drop(transaction, keys)


def _row(record: Record) -> tuple[Value, ...]:
    """The values of INSERT, in its order; content, moment and body come last."""
    run, body = record.run, encode(record)
    content = _hash(body)
    used = json.dumps(record.used, ensure_ascii=False) if record.used else "[]"
    place = (key_of(record.id), record.workspace, run.source, run.session, run.external_id, run.agent, run.started)
    return (*place, record.summary, _bit(record.success), used, len(body), content, record.recorded, body)


def _contents(transaction: Transaction, ids: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for part in in_parts(ids):
        sql = f"SELECT key, content FROM runs WHERE key IN ({', '.join('?' * len(part))}) AND {OWN}"
        rows = transaction.all(sql, (*map(key_of, part), transaction.workspace))
        found.update((id_of(str(key)), str(content)) for key, content in rows)
    return found


def _removed(transaction: Transaction, ids: Sequence[str]) -> set[str]:
    if not transaction.all("SELECT 1 FROM removed_runs LIMIT 1"):
        return set()
    found: set[str] = set()
    for part in in_parts(ids):
        sql = f"SELECT id FROM removed_runs WHERE id IN ({', '.join('?' * len(part))}) AND {OWN}"
        found.update(str(row[0]) for row in transaction.all(sql, (*part, transaction.workspace)))
    return found


def _said(verdict: Verdict | None) -> tuple[bool | None, str] | None:
    """A verdict as far as it matters whether it is another one."""
    return None if verdict is None else (verdict.success, verdict.judge)


def _bit(value: bool | None) -> int | None:  # noqa: FBT001
    return None if value is None else int(value)
