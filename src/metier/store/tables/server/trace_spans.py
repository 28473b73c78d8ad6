"""Spans that a server received, kept until their trace is a run, and a while longer for spans that come late."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.store.engines.engine import Transaction


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptSpan:
    """A span of a trace, redacted, as JSON."""

    trace: str
    span: str
    is_root: bool
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadyTrace:
    """A trace that can become runs now."""

    trace: str
    changed: str
    bodies: tuple[str, ...]


def put(transaction: Transaction, spans: Sequence[KeptSpan], now: str) -> None:
    """Keep spans; one that is there already is replaced. Their traces are due again."""
    own = transaction.workspace
    transaction.many(
        "INSERT INTO trace_spans (workspace, trace, span, body) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (workspace, trace, span) DO UPDATE SET body = excluded.body",
        [(own, one.trace, one.span, one.body) for one in spans],
    )
    roots = {one.trace: False for one in spans} | {one.trace: True for one in spans if one.is_root}
    transaction.many(
        "INSERT INTO traces (workspace, trace, has_root, changed, built) VALUES (?, ?, ?, ?, '')"
        " ON CONFLICT (workspace, trace) DO UPDATE SET changed = excluded.changed, built = '',"
        " has_root = CASE WHEN traces.has_root = 1 THEN 1 ELSE excluded.has_root END",
        [(own, trace, int(has_root), now) for trace, has_root in sorted(roots.items())],
    )


def ready(transaction: Transaction, *, rooted: str, rootless: str, limit: int) -> list[ReadyTrace]:
    """Traces that were silent since a moment, those without a root since an earlier one, the longest silent first."""
    rows = transaction.all(
        "SELECT trace, changed FROM traces WHERE workspace = ? AND built = ''"
        " AND ((has_root = 1 AND changed <= ?) OR changed <= ?) ORDER BY changed, trace LIMIT ?",
        (transaction.workspace, rooted, rootless, limit),
    )
    return [
        ReadyTrace(trace=str(trace), changed=str(changed), bodies=_bodies(transaction, str(trace)))
        for trace, changed in rows
    ]


def claim(transaction: Transaction, trace: str, changed: str, now: str) -> bool:
    """Note that a trace becomes runs; False: another process did that, or a span has come since it was read."""
    sql = "UPDATE traces SET built = ? WHERE workspace = ? AND trace = ? AND changed = ? AND built = '' RETURNING trace"
    return bool(transaction.all(sql, (now, transaction.workspace, trace, changed)))


def forget_built(transaction: Transaction, before: str) -> None:
    """Drop the spans of traces that became runs before a moment."""
    own = transaction.workspace
    transaction.all(
        "DELETE FROM trace_spans WHERE workspace = ? AND trace IN"
        " (SELECT trace FROM traces WHERE workspace = ? AND built <> '' AND built <= ?)",
        (own, own, before),
    )
    transaction.all("DELETE FROM traces WHERE workspace = ? AND built <> '' AND built <= ?", (own, before))


def count_open(transaction: Transaction) -> int:
    """How many traces are not runs yet."""
    sql = "SELECT count(*) FROM traces WHERE workspace = ? AND built = ''"
    return int(str(transaction.all(sql, (transaction.workspace,))[0][0]))


def _bodies(transaction: Transaction, trace: str) -> tuple[str, ...]:
    sql = "SELECT body FROM trace_spans WHERE workspace = ? AND trace = ? ORDER BY span"
    return tuple(str(row[0]) for row in transaction.all(sql, (transaction.workspace, trace)))
