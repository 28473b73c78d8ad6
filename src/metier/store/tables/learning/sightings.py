"""What the net kept of each session, and which runs it has read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.formats.value_json import dumps, loads
from metier.store.tables.run_keys import OWN, SESSION, id_of, key_of
from metier.types.sightings import Catch, Repair

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.store.engines.engine import Transaction

AFTER_HEX = "g"
"""Sorts behind every digit of a key."""
FIRST_REPAIR = '{"repairs":[{'
"""How the text of a session with repairs begins: they are the first field."""
PUT = (
    "INSERT INTO sightings (workspace, session, sequence, body) VALUES (?, ?, ?, ?)"
    " ON CONFLICT (workspace, session) DO UPDATE SET body = excluded.body"
)


def unread(transaction: Transaction) -> list[list[str]]:
    """The runs of every session that has a run which the net has not read, oldest session first."""
    sql = (
        "SELECT DISTINCT substr(key, 1, ?) FROM runs WHERE workspace = ?"
        " AND NOT EXISTS (SELECT 1 FROM mined WHERE mined.key = runs.key)"
    )
    new = {str(row[0]) for row in transaction.all(sql, (SESSION, transaction.workspace))}
    if not new:
        return []
    found: dict[str, list[str]] = {}
    rows = transaction.all("SELECT key FROM runs WHERE workspace = ? ORDER BY sequence", (transaction.workspace,))
    for (key,) in rows:
        if (session := str(key)[:SESSION]) in new:
            found.setdefault(session, []).append(id_of(str(key)))
    return list(found.values())


def put(transaction: Transaction, runs: Sequence[str], sequence: int, catch: Catch) -> None:
    """Keep what the net found in a session; its runs are read from now on."""
    keys = [key_of(run) for run in runs]
    body = "" if catch == Catch() else dumps(catch)
    transaction.many(PUT, [(transaction.workspace, keys[0][:SESSION], sequence, body)])
    transaction.many(
        "INSERT INTO mined (key, workspace) VALUES (?, ?) ON CONFLICT (key) DO NOTHING",
        [(key, transaction.workspace) for key in keys],
    )


def list_all(transaction: Transaction) -> list[Catch]:
    """What was kept of every session, the oldest session first."""
    return _list(transaction, "")


def list_repairs(transaction: Transaction) -> list[Repair]:
    """What failed and what helped, the oldest session first; sessions without such are not read."""
    return [one for catch in _list(transaction, FIRST_REPAIR) for one in catch.repairs]


def _list(transaction: Transaction, begins: str) -> list[Catch]:
    sql = "SELECT body FROM sightings WHERE workspace = ? AND body LIKE ? ORDER BY sequence, session"
    bodies = [str(row[0]) for row in transaction.all(sql, (transaction.workspace, f"{begins}%"))]
    return [loads(Catch, body) if body else Catch() for body in bodies]


def fingerprint(transaction: Transaction) -> str:
    """Stands for all that was kept: the same again, and there is nothing new to add up."""
    sql = (
        "SELECT count(*), coalesce(sum(sequence), 0), coalesce(sum(length(body)), 0) FROM sightings WHERE workspace = ?"
    )
    return " ".join(map(str, transaction.all(sql, (transaction.workspace,))[0]))


def drop(transaction: Transaction, keys: Sequence[str]) -> None:
    """Forget what was found in the sessions of these runs: what is left of them is read again."""
    sessions = sorted({key[:SESSION] for key in keys})
    own = [(transaction.workspace, session) for session in sessions]
    transaction.many("DELETE FROM sightings WHERE workspace = ? AND session = ?", own)
    ranges = [(session, f"{session}{AFTER_HEX}", transaction.workspace) for session in sessions]
    transaction.many(f"DELETE FROM mined WHERE key >= ? AND key < ? AND {OWN}", ranges)
