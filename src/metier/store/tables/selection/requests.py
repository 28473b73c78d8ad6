"""Requests as selections and runs name them: what brings a selection and the run it served together."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, NamedTuple, cast

from metier.formats.value_json import loads
from metier.store.tables import meta
from metier.store.tables.run_keys import OWN, id_of, in_parts
from metier.store.tables.selection import selections
from metier.types import Selection

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from metier.store.engines.engine import Row, Transaction

Kind = Literal["selection", "run"]
MARKS = "requests.marks"
"""The fact that holds how far a workspace's rows were looked at."""
COLUMNS = "kind, id, place, moment, partner, named"
PUT = f"INSERT INTO requests ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (kind, id) DO NOTHING"


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkRequest:
    """One request, as a selection or as a run."""

    kind: Kind
    id: str
    place: str
    """Stands for workspace, session and words: two with the same one may belong together."""
    moment: float
    """Seconds since 1970: when the selection was made, or when the run ended."""
    partner: str = ""
    """The run or the selection it belongs to; empty: none is known."""
    named: bool = False
    """The run itself says which selection it got."""


class Marks(NamedTuple):
    """How far the rows of a workspace were looked at, by their sequences."""

    selections: int = 0
    runs: int = 0
    claims: int = 0


class RequestRow(NamedTuple):
    """What a run asked for, and when."""

    id: str
    session: str
    message: str
    started: str
    ended: str
    recorded: str


def marks(transaction: Transaction) -> Marks | None:
    """How far this was taken before; None: it never began."""
    found = meta.get(transaction, f"{MARKS}:{transaction.workspace}")
    return Marks(*json.loads(found)) if found else None


def set_marks(transaction: Transaction, now: Marks) -> None:
    """Note how far the rows were looked at."""
    meta.put(transaction, f"{MARKS}:{transaction.workspace}", json.dumps(now))


def ends(transaction: Transaction) -> Marks:
    """The newest rows of a workspace."""
    return Marks(*(_newest(transaction, table) for table in ("selections", "runs", "claims")))


def start(transaction: Transaction, since: str) -> Marks:
    """Where to begin: behind the runs that were recorded before a moment."""
    sql = "SELECT sequence FROM runs WHERE workspace = ? AND recorded < ? ORDER BY sequence DESC LIMIT 1"
    rows = transaction.all(sql, (transaction.workspace, since))
    return Marks(runs=cast("int", rows[0][0]) if rows else 0)


def first_selection(transaction: Transaction) -> Selection | None:
    """The oldest selection of a workspace that can be read."""
    rows = transaction.all(
        "SELECT body FROM selections WHERE workspace = ? ORDER BY sequence LIMIT 1", (transaction.workspace,)
    )
    return _selection(rows[0][0]) if rows else None


def selections_behind(transaction: Transaction, mark: int, limit: int) -> tuple[list[Selection], int | None]:
    """Selections behind a mark, oldest first, with the next mark; None: these were the last."""
    sql = "SELECT sequence, body FROM selections WHERE sequence > ? AND workspace || '' = ? ORDER BY sequence LIMIT ?"
    rows = transaction.all(sql, (mark, transaction.workspace, limit))
    found = [one for row in rows if (one := _selection(row[1]))]
    return found, cast("int", rows[-1][0]) if rows else None


def runs_behind(transaction: Transaction, mark: int, limit: int) -> tuple[list[RequestRow], int | None]:
    """Runs behind a mark, oldest first, with the next mark."""
    sql = (
        "SELECT sequence, key, session, recorded, body FROM runs WHERE workspace = ? AND sequence > ?"
        " ORDER BY sequence LIMIT ?"
    )
    rows = transaction.all(sql, (transaction.workspace, mark, limit))
    return [one for row in rows if (one := _asked(row))], cast("int", rows[-1][0]) if rows else None


def grown_runs(transaction: Transaction) -> list[RequestRow]:
    """Runs without a selection that grew, and that no pass of learning has looked at as they are now."""
    sql = (
        "SELECT r.sequence, r.key, r.session, r.recorded, r.body FROM runs r"
        " JOIN requests q ON q.kind = 'run' AND q.id = substr(r.key, 9) || substr(r.key, 1, 8)"
        " WHERE r.workspace = ? AND r.state = 'new' AND r.revision > 1 AND q.partner = ''"
        " AND NOT EXISTS (SELECT 1 FROM waiting w WHERE w.key = r.key)"
    )
    return [one for row in transaction.all(sql, (transaction.workspace,)) if (one := _asked(row))]


def move(transaction: Transaction, found: Iterable[LinkRequest]) -> None:
    """Note other moments of requests."""
    sql = "UPDATE requests SET moment = ? WHERE kind = ? AND id = ?"
    transaction.many(sql, [(one.moment, one.kind, one.id) for one in found])


def claims_behind(transaction: Transaction, mark: int, limit: int) -> tuple[list[tuple[str, str]], int | None]:
    """Runs that name a selection that is there, behind a mark: pairs of selection and run, with the next mark."""
    sql = (
        "SELECT c.sequence, c.selection, c.run, s.workspace FROM claims c LEFT JOIN selections s ON s.id = c.selection"
        " WHERE c.sequence > ? AND c.workspace || '' = ? ORDER BY c.sequence LIMIT ?"
    )
    rows = transaction.all(sql, (mark, transaction.workspace, limit))
    found = [(str(row[1]), str(row[2])) for row in rows if row[3] == transaction.workspace]
    return found, cast("int", rows[-1][0]) if rows else None


def claim(transaction: Transaction, pairs: Iterable[tuple[str, str]]) -> None:
    """Note runs that name their selection: pairs of selection and run."""
    sql = "INSERT INTO claims (workspace, selection, run) VALUES (?, ?, ?) ON CONFLICT (selection, run) DO NOTHING"
    transaction.many(sql, [(transaction.workspace, *pair) for pair in pairs])


def claims_of(transaction: Transaction, selections: Sequence[str]) -> list[tuple[str, str]]:
    """What runs have said of these selections so far, in the order they said it."""
    found: list[Row] = []
    for part in in_parts(selections):
        marks = ", ".join("?" * len(part))
        sql = f"SELECT sequence, selection, run FROM claims WHERE selection IN ({marks}) AND workspace || '' = ?"
        found += transaction.all(sql, (*part, transaction.workspace))
    return [(str(row[1]), str(row[2])) for row in sorted(found, key=lambda row: cast("int", row[0]))]


def put(transaction: Transaction, found: Iterable[LinkRequest]) -> None:
    """Keep requests; one that is there already stays as it is."""
    transaction.many(PUT, [(one.kind, one.id, one.place, one.moment, one.partner, int(one.named)) for one in found])


def get(transaction: Transaction, kind: Kind, name: str) -> LinkRequest | None:
    """One request."""
    rows = transaction.all(f"SELECT {COLUMNS} FROM requests WHERE kind = ? AND id = ?", (kind, name))
    return _request(rows[0]) if rows else None


def at(transaction: Transaction, place: str, first: float, last: float) -> list[LinkRequest]:
    """The requests of one place in a time, in their order."""
    sql = f"SELECT {COLUMNS} FROM requests WHERE place = ? AND moment >= ? AND moment <= ? ORDER BY moment, id"
    return [_request(row) for row in transaction.all(sql, (place, first, last))]


def pair(transaction: Transaction, kind: Kind, pairs: Iterable[tuple[str, str]], *, named: bool = False) -> None:
    """Set the partners of requests: pairs of id and partner, which may be none."""
    sql = "UPDATE requests SET partner = ?, named = ? WHERE kind = ? AND id = ?"
    transaction.many(sql, [(partner, int(named), kind, name) for name, partner in pairs])


def served_runs(transaction: Transaction, found: Mapping[str, str]) -> None:
    """Write into selections which runs they served; an empty one: that none is known any more."""
    for part in in_parts(list(found)):
        sql = f"SELECT body FROM selections WHERE id IN ({', '.join('?' * len(part))}) AND {OWN}"
        for row in transaction.all(sql, (*part, transaction.workspace)):
            one = _selection(row[0])
            if one is not None and one.run != found[one.id]:
                selections.put(transaction, replace(one, run=found[one.id]))


def _newest(transaction: Transaction, table: str) -> int:
    own = "workspace" if table == "runs" else "workspace || ''"  # only runs have an index in this order
    sql = f"SELECT sequence FROM {table} WHERE {own} = ? ORDER BY sequence DESC LIMIT 1"
    rows = transaction.all(sql, (transaction.workspace,))
    return cast("int", rows[0][0]) if rows else 0


def _selection(body: object) -> Selection | None:
    """A stored selection; one that is damaged is in nobody's way."""
    try:
        return loads(Selection, body)
    except ValueError:
        return None


def _asked(row: Row) -> RequestRow | None:
    """What a stored run asked; one that is damaged is in nobody's way."""
    _, key, session, recorded, body = row
    try:
        run = json.loads(str(body))
        said = str(run["message"]), str(run.get("started") or ""), str(run.get("ended") or "")
    except (ValueError, RecursionError, TypeError, KeyError, AttributeError):
        return None
    return RequestRow(id_of(str(key)), str(session), *said, str(recorded))


def _request(row: Row) -> LinkRequest:
    kind, name, place, moment, partner, named = row
    return LinkRequest(
        kind=cast("Kind", kind),
        id=str(name),
        place=str(place),
        moment=cast("float", moment),
        partner=str(partner),
        named=bool(named),
    )
