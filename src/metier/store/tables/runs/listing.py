"""Lists of runs: filters, counts, and the few rows that are shown."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast

from metier.store.tables.run_keys import CHUNK, id_of, key_of
from metier.store.tables.runs import runs
from metier.store.tables.runs.word_search import find_matches

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.store.engines.engine import Row, Transaction, Value
    from metier.types import Record

Outcome = Literal["good", "failed", "unknown"]
COLUMNS = "sequence, key, summary, success, used, agent, session, started, recorded, body"
OUTCOMES = {"good": "success = 1", "failed": "success = 0", "unknown": "success IS NULL"}
HAVE_FEW = (
    "SELECT sequence FROM runs WHERE workspace = ? AND used <> '[]' AND length(used) < 1000 AND used LIKE ? ESCAPE '\\'"
)
HAVE_MANY = "SELECT sequence FROM runs WHERE workspace = ? AND length(used) >= 1000 AND used LIKE ? ESCAPE '\\'"
"""The runs in which a skill did the work, each part from an index of its own; those with many skills are rare."""
EXAMINED = 4000
"""Matches of a search that are looked at for one page, at most."""
OF_SESSION = "substr(session, 1, 80) = substr(?, 1, 80) AND workspace = ? AND session = ?"
"""The runs of a session, found by the index on the beginning of its name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFilter:
    """Which runs are listed; what is empty filters nothing."""

    agent: str = ""
    outcome: Outcome | Literal[""] = ""
    session: str = ""
    skill: str = ""
    """One that did the work."""
    since: str = ""
    ids: tuple[str, ...] | None = None
    """Only these runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedRun:
    """A run as a list shows it."""

    id: str
    sequence: int
    summary: str
    success: bool | None
    used: tuple[str, ...]
    agent: str
    session: str
    moment: str
    """When it began, else when it was recorded."""
    model: str = ""
    tokens: int = 0
    cost_usd: float | None = None
    steps: int = 0
    failed_steps: int = 0
    corrected: bool = False


def list_lines(transaction: Transaction, wanted: RunFilter, *, below: int = 0, limit: int = 50) -> list[ListedRun]:
    """Runs newest first, from below a sequence; 0: from the newest."""
    below = below or 2**62
    if wanted == RunFilter(skill=wanted.skill) != RunFilter():
        return _lines_of_skill(transaction, wanted.skill, below, limit)
    where, values = _where(transaction, wanted)
    sql = f"SELECT {COLUMNS} FROM runs WHERE {where} AND sequence < ? ORDER BY sequence DESC LIMIT ?"
    return [_line(row) for row in transaction.all(sql, (*values, below, limit))]


def _lines_of_skill(transaction: Transaction, skill: str, below: int, limit: int) -> list[ListedRun]:
    """The newest runs in which a skill did the work: the index is read from its end, and no further than needed."""
    newest = f"SELECT sequence FROM ({HAVE_FEW} AND sequence < ? ORDER BY sequence DESC LIMIT ?) AS newest"
    sql = (
        f"SELECT {COLUMNS} FROM runs WHERE sequence IN ({newest} UNION ALL {HAVE_MANY})"
        " AND workspace = ? AND sequence < ? ORDER BY sequence DESC LIMIT ?"
    )
    whose, pattern = transaction.workspace, _skill_pattern(skill)
    values = (whose, pattern, below, limit, whose, pattern, whose, below, limit)
    return [_line(row) for row in transaction.all(sql, values)]


def search_lines(
    transaction: Transaction, words: str, wanted: RunFilter, *, below: int = 0, limit: int = 50
) -> list[ListedRun]:
    """Runs that hold all the words and fit the filter, newest first."""
    where, values = _where(transaction, wanted)
    found: list[ListedRun] = []
    seen = 0
    for sequences in find_matches(transaction, words, below):
        marks = ", ".join("?" * len(sequences))
        sql = f"SELECT {COLUMNS} FROM runs WHERE sequence IN ({marks}) AND {where} ORDER BY sequence DESC LIMIT ?"
        found += [_line(row) for row in transaction.all(sql, (*sequences, *values, limit - len(found)))]
        seen += len(sequences)
        if len(found) >= limit or seen >= EXAMINED:
            break
    return found


def count_lines(transaction: Transaction, wanted: RunFilter) -> int:
    """How many runs a filter leaves."""
    where, values = _where(transaction, wanted)
    return cast("int", transaction.all(f"SELECT count(*) FROM runs WHERE {where}", values)[0][0])


def count_agents(transaction: Transaction) -> list[tuple[str, int]]:
    """The agents of a workspace's runs, the busiest first."""
    sql = "SELECT agent, count(*) FROM runs WHERE workspace = ? GROUP BY agent ORDER BY 2 DESC, 1 LIMIT 50"
    return [(str(agent), cast("int", number)) for agent, number in transaction.all(sql, (transaction.workspace,))]


def holding(
    transaction: Transaction, words: Sequence[str], *, since: str = "", after: int = 0, limit: int = 500
) -> list[Record]:
    """Runs since a moment whose text holds any of the words, oldest first, behind a sequence; no words: all runs."""
    escaped = [word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") for word in words]
    held = " OR ".join("body LIKE ? ESCAPE '\\'" for _ in escaped) or "1 = 1"
    rows = transaction.all(
        f"SELECT {runs.COLUMNS} FROM runs WHERE workspace = ? AND sequence > ? AND coalesce(started, recorded) >= ?"
        f" AND ({held}) ORDER BY sequence LIMIT ?",
        (transaction.workspace, after, since, *(f"%{word}%" for word in escaped), limit),
    )
    return [runs.decode(row) for row in rows]


def _where(transaction: Transaction, wanted: RunFilter) -> tuple[str, list[Value]]:
    narrow = wanted.agent or wanted.session or wanted.skill
    parts = [runs.OWN if wanted.since and not narrow else "workspace = ?"]
    values: list[Value] = [transaction.workspace]
    for column, length, value in (("agent", 40, wanted.agent), ("session", 80, wanted.session)):
        if value:
            parts.append(f"substr({column}, 1, {length}) = ? AND {column} || '' = ?")
            values += [value[:length], value]
    if wanted.outcome:
        parts.append(OUTCOMES[wanted.outcome])
    if wanted.since:
        parts.append("coalesce(started, recorded) >= ?")
        values.append(wanted.since)
    if wanted.skill:
        parts.append(f"sequence IN ({HAVE_FEW} UNION ALL {HAVE_MANY})")
        values += [transaction.workspace, _skill_pattern(wanted.skill)] * 2
    if wanted.ids is not None:
        keys = [key_of(one) for one in wanted.ids[:CHUNK]]
        parts.append(_is_one_of(keys))
        values += keys
    return " AND ".join(parts), values


def _is_one_of(keys: Sequence[str]) -> str:
    return f"key IN ({', '.join('?' * len(keys))})" if keys else "1 = 0"


def _skill_pattern(skill: str) -> str:
    escaped = skill.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f'%"{escaped}"%'


def _line(row: Row) -> ListedRun:
    sequence, key, summary, success, used, agent, session, started, recorded, body = row
    run = _document(str(body))
    tokens, tools = run.get("tokens"), run.get("tools")
    steps = [cast("dict[str, object]", one) for one in _items(tools) if isinstance(one, dict)]
    counts = cast("dict[str, object]", tokens) if isinstance(tokens, dict) else {}
    cost = run.get("cost_usd")
    return ListedRun(
        id=id_of(str(key)),
        sequence=cast("int", sequence),
        summary=str(summary),
        success=None if success is None else bool(success),
        used=tuple(json.loads(str(used))),
        agent=str(agent),
        session=str(session),
        moment=str(started or recorded),
        model=str(run.get("model") or ""),
        tokens=sum(one for one in counts.values() if isinstance(one, int)),
        cost_usd=float(cost) if isinstance(cost, int | float) else None,
        steps=len(steps),
        failed_steps=sum(one.get("ok") is False for one in steps),
        corrected=bool(run.get("correction")),
    )


def _items(value: object) -> Sequence[object]:
    return cast("list[object]", value) if isinstance(value, list) else ()


def _document(body: str) -> dict[str, object]:
    """The stored run; of one that was damaged on disk nothing but its columns is shown."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, object]", found) if isinstance(found, dict) else {}


def is_in_another_source(transaction: Transaction, session: str, source: str) -> bool:
    """Whether a session has runs that another source brought."""
    sql = f"SELECT 1 FROM runs WHERE {OF_SESSION} AND source <> ? LIMIT 1"
    return bool(transaction.all(sql, (session, transaction.workspace, session, source)))


def ids_of_source(transaction: Transaction, session: str, source: str) -> list[str]:
    """The runs of a session that one source brought."""
    sql = f"SELECT key FROM runs WHERE {OF_SESSION} AND source = ? ORDER BY sequence"
    return [id_of(str(row[0])) for row in transaction.all(sql, (session, transaction.workspace, session, source))]
