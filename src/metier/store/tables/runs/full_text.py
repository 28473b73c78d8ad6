"""Full text over runs: filled after the fact, so that recording never waits for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from metier.store.engines.dialect import space_cjk
from metier.store.tables import meta
from metier.store.tables.runs import runs
from metier.store.tables.runs.word_search import find_matches

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.store.engines.engine import Transaction
    from metier.types import Record, Run

INDEXED = "fulltext.indexed"
"""The fact that holds the sequence up to which runs are in the index."""
AT_ONCE = 20
"""Runs held in memory while they are indexed: a run may be large."""
PART = 20_000
"""Characters indexed of each part of a run."""


def behind(transaction: Transaction) -> int:
    """How many runs are not in the index yet, roughly: sequences that were never used count too."""
    last = transaction.all("SELECT coalesce(max(sequence), 0) FROM runs")[0][0]
    return max(0, cast("int", last) - int(meta.get(transaction, INDEXED, "0")))


def catch_up(transaction: Transaction, limit: int = 1000) -> int:
    """Put the next runs into the index; returns how many, 0 when it is complete."""
    last = int(meta.get(transaction, INDEXED, "0"))
    sql = f"SELECT {runs.COLUMNS} FROM runs WHERE sequence > ? ORDER BY sequence LIMIT ?"
    count = 0
    while count < limit and (rows := transaction.all(sql, (last, min(AT_ONCE, limit - count)))):
        entries = [_entry(transaction, runs.decode(row)) for row in rows]
        transaction.many(transaction.dialect.fulltext_insert, entries)
        last, count = entries[-1][0], count + len(entries)
    if count:
        meta.put(transaction, INDEXED, str(last))
    return count


def refresh(transaction: Transaction, ids: Sequence[str]) -> None:
    """Index again the runs that changed after they were indexed."""
    done = int(meta.get(transaction, INDEXED, "0"))
    for key in ids:
        record = runs.get(transaction, key)
        if record.sequence <= done:
            transaction.all(transaction.dialect.fulltext_delete, (record.sequence,))
            transaction.many(transaction.dialect.fulltext_insert, [_entry(transaction, record)])


def search(transaction: Transaction, words: str, limit: int) -> list[Record]:
    """Runs that hold all the words (or words that begin so), newest first."""
    found: list[Record] = []
    for sequences in find_matches(transaction, words):
        found += runs.at(transaction, sequences)
        if len(found) >= limit:
            break
    return found[:limit]


def erase(transaction: Transaction) -> None:
    """Make removed words vanish from the index itself, not only from its answers."""
    for statement in transaction.dialect.fulltext_erase:
        transaction.all(statement)


def text_of(run: Run) -> str:
    """What of a run can be found: the request, the answer, what was done, the skills."""
    parts = [run.message, run.output, run.session, run.agent, run.correction or ""]
    for tool in run.tools:
        parts += [tool.name, tool.said[:1000], tool.input[:1000], (tool.error or "")[:500], *tool.skills]
    parts += [*run.skills.active, *run.skills.attempted, *run.skills.path]
    return space_cjk("\n".join(part[:PART] for part in parts if part))


def _entry(transaction: Transaction, record: Record) -> tuple[int, str]:
    return record.sequence, transaction.dialect.fulltext_entry(text_of(record.run))
