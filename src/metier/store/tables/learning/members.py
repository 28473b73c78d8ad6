"""Which pattern each run went to, and how it counts there: the pattern's evidence, run by run."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, cast

from metier.store.tables.run_keys import OWN, id_of, in_parts, key_of
from metier.types.grouping import Member

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from metier.store.engines.engine import Row, Transaction

PUT = (
    "INSERT INTO members (key, workspace, pattern, sequence, success, path, reason) VALUES (?, ?, ?, ?, ?, ?, ?)"
    " ON CONFLICT (key) DO UPDATE SET pattern = excluded.pattern, success = excluded.success, path = excluded.path,"
    " reason = excluded.reason"
)
COLUMNS = "key, pattern, sequence, success, path, reason"


def put(transaction: Transaction, members: Iterable[Member]) -> None:
    """Note where runs went; their state is clustered from now on."""
    rows = [
        (
            key_of(one.run),
            transaction.workspace,
            one.pattern,
            one.sequence,
            int(one.success),
            _path(one.path),
            one.reason,
        )
        for one in members
    ]
    transaction.many(PUT, rows)
    transaction.many(f"UPDATE runs SET state = 'clustered' WHERE key = ? AND {OWN}", [row[:2] for row in rows])


def of_pattern(transaction: Transaction, pattern: str) -> list[Member]:
    """A pattern's runs, oldest first."""
    sql = f"SELECT {COLUMNS} FROM members WHERE workspace = ? AND pattern = ? ORDER BY sequence"
    return [_member(row) for row in transaction.all(sql, (transaction.workspace, pattern))]


def newest(transaction: Transaction, pattern: str, *, success: bool, limit: int) -> list[str]:
    """The newest runs of a pattern that went well, or that did not, oldest first."""
    sql = "SELECT key FROM members WHERE workspace = ? AND pattern = ? AND success = ? ORDER BY sequence DESC LIMIT ?"
    rows = transaction.all(sql, (transaction.workspace, pattern, int(success), limit))
    return [id_of(str(row[0])) for row in reversed(rows)]


def paths(transaction: Transaction, pattern: str) -> dict[tuple[str, ...], int]:
    """The paths a pattern's successes took, counted."""
    sql = "SELECT path, count(*) FROM members WHERE workspace = ? AND pattern = ? AND success = 1 GROUP BY path"
    found: Counter[tuple[str, ...]] = Counter()
    for path, count in transaction.all(sql, (transaction.workspace, pattern)):
        found[tuple(json.loads(str(path)))] += cast("int", count)
    return {path: count for path, count in found.items() if path}


def get(transaction: Transaction, run: str) -> Member | None:
    """Where a run went, if anywhere."""
    sql = f"SELECT {COLUMNS} FROM members WHERE key = ? AND {OWN}"
    rows = transaction.all(sql, (key_of(run), transaction.workspace))
    return _member(rows[0]) if rows else None


def drop(transaction: Transaction, keys: Sequence[str]) -> None:
    """Take runs out of their patterns, which are to be counted anew."""
    for part in in_parts(keys):
        marks = ", ".join("?" * len(part))
        sql = f"DELETE FROM members WHERE key IN ({marks}) AND {OWN} RETURNING pattern"
        found = {str(row[0]) for row in transaction.all(sql, (*part, transaction.workspace))}
        rows = [(pattern, transaction.workspace) for pattern in sorted(found)]
        transaction.many("UPDATE patterns SET stale = 1 WHERE id = ? AND workspace = ?", rows)


def _path(path: Sequence[str]) -> str:
    return json.dumps(path, ensure_ascii=False) if path else "[]"


def _member(row: Row) -> Member:
    key, pattern, sequence, success, path, reason = row
    return Member(
        run=id_of(str(key)),
        pattern=str(pattern),
        sequence=cast("int", sequence),
        success=bool(success),
        path=tuple(json.loads(str(path))),
        reason=str(reason),
    )
