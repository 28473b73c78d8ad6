"""What became of the skills that selections handed over or withheld, and the sums of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from metier.store.tables.run_keys import OWN, in_parts
from metier.types.selections import GivenRun, RunOutcome, SelectionOutcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from metier.store.engines.engine import Row, Transaction, Value

NEWEST = 2_000
"""Runs that the success rate of a workspace is taken from."""
SUMS = (
    *("selected", "told", "used", "succeeded", "failed"),
    *("with_runs", "with_successes", "withheld_runs", "withheld_successes"),
    *("given_succeeded", "given_failed"),
)
WEIGH = """
UPDATE outcomes SET stale = 0, went = CASE
  WHEN run = '' OR EXISTS (SELECT 1 FROM removed_runs x WHERE x.id = outcomes.run) THEN NULL
  ELSE coalesce((SELECT v.success FROM verdicts v WHERE v.run = outcomes.run), stated) END
WHERE workspace = ? AND stale = 1
"""
"""How a run went: by its verdict, else by its own word where nobody has to judge that. Null: unknown, or removed."""
TALLY = f"""
INSERT INTO tallies (workspace, skill, hash, {", ".join(SUMS)})
SELECT workspace, skill, hash,
  sum(CASE WHEN handed = 1 AND (run <> '' OR EXISTS
    (SELECT 1 FROM selections s WHERE s.id = outcomes.selection AND s.session <> '')) THEN 1 ELSE 0 END),
  sum(CASE WHEN handed = 1 AND used IS NOT NULL THEN 1 ELSE 0 END),
  sum(CASE WHEN handed = 1 AND used = 1 THEN 1 ELSE 0 END),
  sum(CASE WHEN handed = 1 AND used = 1 AND went = 1 THEN 1 ELSE 0 END),
  sum(CASE WHEN handed = 1 AND used = 1 AND went = 0 THEN 1 ELSE 0 END),
  sum(CASE WHEN fair = 1 AND handed = 1 AND went IS NOT NULL THEN 1 ELSE 0 END),
  sum(CASE WHEN fair = 1 AND handed = 1 AND went = 1 THEN 1 ELSE 0 END),
  sum(CASE WHEN fair = 1 AND handed = 0 AND went IS NOT NULL THEN 1 ELSE 0 END),
  sum(CASE WHEN fair = 1 AND handed = 0 AND went = 1 THEN 1 ELSE 0 END),
  sum(CASE WHEN handed = 1 AND went = 1 THEN 1 ELSE 0 END),
  sum(CASE WHEN handed = 1 AND went = 0 THEN 1 ELSE 0 END)
FROM outcomes WHERE workspace = ? AND skill = ? GROUP BY workspace, skill, hash
"""
"""Given is what reached a session or a run; a selection that somebody tried out by hand reached nobody."""
FRESH = (
    "SELECT DISTINCT o.run FROM runs r JOIN outcomes o ON o.run = substr(r.key, 9) || substr(r.key, 1, 8)"
    " WHERE r.workspace = ? AND r.state = 'new' AND NOT EXISTS (SELECT 1 FROM waiting w WHERE w.key = r.key)"
)
BASE = (
    "SELECT count(*), sum(success) FROM (SELECT coalesce(m.success, w.success) AS success FROM"
    " (SELECT key FROM runs WHERE workspace = ? ORDER BY sequence DESC LIMIT ?) r"
    " LEFT JOIN members m ON m.key = r.key LEFT JOIN waiting w ON w.key = r.key) judged WHERE success IS NOT NULL"
)


def put(transaction: Transaction, found: Iterable[SelectionOutcome]) -> None:
    """Keep parts of selections, of which no run is known yet."""
    sql = (
        "INSERT INTO outcomes (selection, skill, hash, workspace, handed, lot, fair, run, stale)"
        " VALUES (?, ?, ?, ?, ?, ?, 0, '', 1) ON CONFLICT (selection, skill) DO NOTHING"
    )
    rows = [(one.selection, one.skill, one.hash, transaction.workspace, int(one.handed), one.lot) for one in found]
    transaction.many(sql, rows)


def serve(transaction: Transaction, found: Mapping[str, RunOutcome]) -> None:
    """Note the runs that selections served; of all that one chance decided about, the first is compared."""
    there = _parts(transaction, "selection", list(found))
    taken = _compared(transaction, [lot for _, _, lot in there if lot])
    rows: list[tuple[Value, ...]] = []
    for selection, skill, lot in there:
        went = found[selection]
        fair = bool(lot) and lot not in taken
        taken.add(lot)
        rows.append((went.run, int(fair), *_said(went, skill), selection, skill))
    sql = (
        "UPDATE outcomes SET run = ?, fair = ?, used = ?, stated = ?, stale = 1"
        f" WHERE selection = ? AND skill = ? AND {OWN}"
    )
    transaction.many(sql, [(*row, transaction.workspace) for row in rows])


def free(transaction: Transaction, selections: Iterable[str]) -> None:
    """Forget the runs that selections seemed to serve."""
    sql = f"UPDATE outcomes SET run = '', fair = 0, used = NULL, stated = NULL, stale = 1 WHERE selection = ? AND {OWN}"
    transaction.many(sql, [(one, transaction.workspace) for one in selections])


def refresh(transaction: Transaction, found: Mapping[str, RunOutcome]) -> None:
    """Note what runs say of themselves by now."""
    there = _parts(transaction, "run", list(found))
    sql = f"UPDATE outcomes SET used = ?, stated = ?, stale = 1 WHERE run = ? AND skill = ? AND {OWN}"
    transaction.many(sql, [(*_said(found[run], skill), run, skill, transaction.workspace) for run, skill, _ in there])


def unsettled_runs(transaction: Transaction) -> list[str]:
    """Runs with a selection that no pass of learning has looked at as they are now."""
    return [str(row[0]) for row in transaction.all(FRESH, (transaction.workspace,))]


def is_stale(transaction: Transaction) -> bool:
    """Whether something is not in the sums as it is now."""
    return bool(
        transaction.all("SELECT 1 FROM outcomes WHERE workspace = ? AND stale = 1 LIMIT 1", (transaction.workspace,))
    )


def touch(transaction: Transaction, ids: Iterable[str]) -> None:
    """Note that runs may have been judged otherwise, or removed."""
    own = [(run, transaction.workspace) for run in ids]
    transaction.many(f"UPDATE outcomes SET stale = 1 WHERE run = ? AND {OWN}", own)


def reported_runs(transaction: Transaction, after: int) -> tuple[list[str], int]:
    """Runs that a person marked or removed behind an entry of the audit log, and its newest entry."""
    last = cast("int", transaction.all("SELECT coalesce(max(sequence), 0) FROM audit")[0][0])
    sql = (
        "SELECT subject FROM audit WHERE sequence > ? AND (action LIKE ? OR action LIKE ?)"
        " AND workspace IN ('', ?) ORDER BY sequence"
    )
    rows = transaction.all(sql, (after, "mark %", "remove %", transaction.workspace)) if last > after else []
    return [run for row in rows for run in str(row[0]).split()], last


def tally(transaction: Transaction) -> None:
    """Sum up anew what is known of the skills that anything changed for."""
    rows = transaction.all(
        "SELECT DISTINCT skill FROM outcomes WHERE workspace = ? AND stale = 1", (transaction.workspace,)
    )
    transaction.all(WEIGH, (transaction.workspace,))
    for row in rows:
        transaction.all("DELETE FROM tallies WHERE workspace = ? AND skill = ?", (transaction.workspace, row[0]))
        transaction.all(TALLY, (transaction.workspace, row[0]))


def tallies(transaction: Transaction, skills: Sequence[str] | None = None) -> Mapping[tuple[str, str], dict[str, int]]:
    """The sums by skill and hash, of some skills or of all; the names of the sums are those of `SUMS`."""
    sql = f"SELECT skill, hash, {', '.join(SUMS)} FROM tallies WHERE workspace = ?"
    if skills is None:
        rows = transaction.all(sql, (transaction.workspace,))
    else:
        rows = [
            row
            for part in in_parts(skills)
            for row in transaction.all(
                f"{sql} AND skill IN ({', '.join('?' * len(part))})", (transaction.workspace, *part)
            )
        ]
    return {(str(row[0]), str(row[1])): _sums(row) for row in rows}


def given_runs(transaction: Transaction, skill: str, content: str) -> list[GivenRun]:
    """The runs that one text of a skill was handed to and whose outcome is known, the oldest first."""
    sql = (
        "SELECT o.run, o.went, s.session, s.created FROM outcomes o JOIN selections s ON s.id = o.selection"
        " WHERE o.workspace = ? AND o.skill = ? AND o.hash = ? AND o.handed = 1 AND o.went IS NOT NULL"
        " ORDER BY s.sequence"
    )
    rows = transaction.all(sql, (transaction.workspace, skill, content))
    return [GivenRun(run=str(row[0]), went=bool(row[1]), session=str(row[2]), created=str(row[3])) for row in rows]


def base(transaction: Transaction) -> tuple[int, int]:
    """How many of the newest runs were judged, and how many of these went well."""
    count, good = transaction.all(BASE, (transaction.workspace, NEWEST))[0]
    return cast("int", count), int(cast("int", good or 0))


def _parts(transaction: Transaction, column: str, names: Sequence[str]) -> list[tuple[str, str, str]]:
    """The skills of selections, or of runs: name, skill and lot, in the order of the names."""
    found: list[Row] = []
    for part in in_parts(names):
        sql = f"SELECT {column}, skill, lot FROM outcomes WHERE {column} IN ({', '.join('?' * len(part))}) AND {OWN}"
        found += transaction.all(sql, (*part, transaction.workspace))
    order = {name: at for at, name in enumerate(names)}
    rows = [(str(name), str(skill), str(lot)) for name, skill, lot in found]
    return sorted(rows, key=lambda row: (order[row[0]], row[1]))


def _compared(transaction: Transaction, lots: Sequence[str]) -> set[str]:
    """Those of the lots that count already."""
    found: set[str] = set()
    for part in in_parts(lots):
        sql = f"SELECT lot FROM outcomes WHERE lot IN ({', '.join('?' * len(part))}) AND fair = 1 AND {OWN}"
        found.update(str(row[0]) for row in transaction.all(sql, (*part, transaction.workspace)))
    return found


def _said(went: RunOutcome, skill: str) -> tuple[int | None, int | None]:
    name = skill.casefold()
    is_unknown = went.used is None or (name in went.given and name not in went.used)
    used = None if is_unknown else int(name in (went.used or ()))
    return used, None if went.stated is None else int(went.stated)


def _sums(row: Row) -> dict[str, int]:
    return {name: int(cast("int", value)) for name, value in zip(SUMS, row[2:], strict=True)}
