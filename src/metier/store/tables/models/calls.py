"""Calls of models in the store: one row per attempt, hashes and counts, no text."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, cast

from metier.store.tables.models.ledger import SpentSum
from metier.types import Tokens

if TYPE_CHECKING:
    from metier.store.engines.engine import Row, Transaction, Value

COLUMNS = (
    "happened, workspace, stage, what, model, prompt_hash,"
    " input, output, cache_read, cache_write, usd, seconds, outcome"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallEntry:
    """One attempt to get an answer from a model."""

    happened: str
    workspace: str
    stage: str
    what: str
    """`complete` or `embed`."""
    model: str
    prompt_hash: str
    tokens: Tokens | None
    """None: the server did not say."""
    cost_usd: Decimal | None
    """None: nobody knows; never 0 for that."""
    seconds: float
    outcome: str
    """`ok`, or the failure's word, such as `rate_limited`."""


def add(transaction: Transaction, entry: CallEntry) -> None:
    """Keep one."""
    add_all(transaction, [entry])


def add_all(transaction: Transaction, entries: list[CallEntry]) -> None:
    """Keep many."""
    transaction.many(
        f"INSERT INTO calls ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [_values(entry) for entry in entries],
    )


def _values(entry: CallEntry) -> tuple[Value, ...]:
    tokens = entry.tokens
    counts = (tokens.input, tokens.output, tokens.cache_read, tokens.cache_write) if tokens else (None,) * 4
    return (
        *(entry.happened, entry.workspace, entry.stage, entry.what, entry.model, entry.prompt_hash),
        *counts,
        *(None if entry.cost_usd is None else str(entry.cost_usd), entry.seconds, entry.outcome),
    )


def list_since(transaction: Transaction, since: str = "", limit: int = 1_000) -> list[CallEntry]:
    """A workspace's newest calls from a moment on, the oldest of them first."""
    rows = transaction.all(
        f"SELECT {COLUMNS} FROM calls WHERE workspace = ? AND happened >= ? ORDER BY sequence DESC LIMIT ?",
        (transaction.workspace, since, limit),
    )
    return [_entry(row) for row in reversed(rows)]


def sum_since(transaction: Transaction, since: str) -> SpentSum:
    """What a workspace's calls from a moment on took in all."""
    return _sum([(tokens, usd) for _, _, tokens, usd in _spent(transaction, since)])


def count_by_model(transaction: Transaction, since: str) -> dict[str, int]:
    """How many of a workspace's calls from a moment on each model answered."""
    rows = transaction.all(
        "SELECT model, count(*) FROM calls WHERE workspace = ? AND happened >= ? GROUP BY model",
        (transaction.workspace, since),
    )
    return {str(model): cast("int", number) for model, number in rows}


def sum_by_day(transaction: Transaction, since: str) -> list[tuple[str, str, SpentSum]]:
    """What a workspace's calls from a moment on took, by day and purpose, the newest day first."""
    sums: dict[tuple[str, str], list[tuple[int, str | None]]] = {}
    for happened, stage, tokens, usd in _spent(transaction, since):
        sums.setdefault((happened[:10], stage), []).append((tokens, usd))
    by_name = sorted(sums.items(), key=lambda one: one[0][1])
    return [(day, stage, _sum(rows)) for (day, stage), rows in sorted(by_name, key=lambda one: one[0][0], reverse=True)]


def _spent(transaction: Transaction, since: str) -> list[tuple[str, str, int, str | None]]:
    """Moment, purpose, tokens and money of each call from a moment on."""
    rows = transaction.all(
        "SELECT happened, stage,"
        " coalesce(input, 0) + coalesce(output, 0) + coalesce(cache_read, 0) + coalesce(cache_write, 0), usd"
        " FROM calls WHERE workspace = ? AND happened >= ?",
        (transaction.workspace, since),
    )
    return [
        (str(happened), str(stage), cast("int", tokens), None if usd is None else str(usd))
        for happened, stage, tokens, usd in rows
    ]


def _sum(rows: list[tuple[int, str | None]]) -> SpentSum:
    known = [Decimal(usd) for _, usd in rows if usd is not None]
    tokens = sum(tokens for tokens, _ in rows)
    return SpentSum(calls=len(rows), tokens=tokens, usd=sum(known, Decimal(0)), unpriced=len(rows) - len(known))


def drop_before(transaction: Transaction, moment: str) -> int:
    """Forget a workspace's calls before a moment; returns how many that were."""
    return transaction.many("DELETE FROM calls WHERE workspace = ? AND happened < ?", [(transaction.workspace, moment)])


def _entry(row: Row) -> CallEntry:
    happened, workspace, stage, what, model, prompt_hash = map(str, row[:6])
    given, output, cache_read, cache_write = (cast("int | None", value) for value in row[6:10])
    tokens = None
    if given is not None:
        tokens = Tokens(input=given, output=output or 0, cache_read=cache_read or 0, cache_write=cache_write or 0)
    return CallEntry(
        happened=happened,
        workspace=workspace,
        stage=stage,
        what=what,
        model=model,
        prompt_hash=prompt_hash,
        tokens=tokens,
        cost_usd=None if row[10] is None else Decimal(str(row[10])),
        seconds=cast("float", row[11]),
        outcome=str(row[12]),
    )
