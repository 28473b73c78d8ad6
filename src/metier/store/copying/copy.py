"""A whole store into an empty one, on either engine: in pieces that a kill does not undo, and checked by hashes.

All is read in one view of the source. Each piece is written in one transaction with the note how far it got, so the
same again goes on from there. Then each table is summed up on both sides; one that differs, because the source changed
between two runs, is copied once more.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, cast

from metier.errors import RefusedError, StoreError
from metier.events import Advanced, Began, Ended
from metier.store.copying.shape import known_tables
from metier.store.tables import meta
from metier.store.tables.runs.full_text import INDEXED
from metier.store.tables.selection import hook_skills, trials

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping, Sequence

    from metier.events import Event
    from metier.store.copying.shape import StoredTable
    from metier.store.engines.engine import Engine, Row, Transaction, Value

AT_ONCE = 200
"""Rows of a piece."""
STAGE = "copy"
ABOUT_STORE = "', '".join((meta.BEGUN, meta.LOST, INDEXED, *trials.OWN_FACTS))
OWN = f"name NOT IN ('{ABOUT_STORE}') AND substr(name, 1, {len(meta.COPYING)}) <> '{meta.COPYING}'"
"""Which facts are about what was kept, and not about the store itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSum:
    """What a table holds, whatever the order of its rows."""

    rows: int
    hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CopiedStore:
    """What was copied."""

    tables: tuple[tuple[str, TableSum], ...]
    resumed: bool
    """Whether an earlier run had copied a part of it."""

    @property
    def rows(self) -> int:
        """Of all tables."""
        return sum(one.rows for _, one in self.tables)

    @property
    def hash(self) -> str:
        """Of all tables: the same for two stores that hold the same."""
        return sha256(json.dumps([(name, one.rows, one.hash) for name, one in self.tables]).encode()).hexdigest()


def copy_store(
    source: Engine, target: Engine, place: str, facts: Mapping[str, str] | None = None
) -> Generator[Event, None, CopiedStore]:
    """Copy all that is kept; `place` names the source, `facts` are about the target itself, such as whose it is.

    A target that holds exactly this already is left as it is: an earlier run was killed after its end.
    """
    with source.read() as view:
        if done := _copied_before(view, target):
            return done
        resumed = _begin(target, place)
        tables = known_tables()
        yield Began(stage=STAGE, total=len(tables))
        sums: list[tuple[str, TableSum]] = []
        for number, table in enumerate(tables, 1):
            yield from _copy_table(view, target, table)
            sums.append((table.name, (yield from _check_table(view, target, table))))
            yield Advanced(stage=STAGE, done=number, total=len(tables), note=table.name)
        serials = [(table, _last_serial(view, table)) for table in tables if table.serial]
    _finish(target, serials, facts or {})
    made = CopiedStore(tables=tuple(sums), resumed=resumed)
    yield Ended(stage=STAGE, text=f"{made.rows} rows")
    return made


def sum_of(transaction: Transaction, table: StoredTable) -> TableSum:
    """What a table holds: the number of its rows, and the sum of their hashes."""
    count, total = 0, 0
    for row in _rows(transaction, table):
        count += 1
        total += int.from_bytes(sha256(_bytes(row)).digest())
    return TableSum(rows=count, hash=f"{total % 2**256:064x}")


def _copied_before(view: Transaction, target: Engine) -> CopiedStore | None:
    """What a target holds if it is what the source holds; None: it is empty or begun. Anything else is refused."""
    with target.read() as transaction:
        full = [one.name for one in known_tables() if _piece(transaction, one, None)]
        if not full or meta.get(transaction, meta.COPIED_FROM):
            return None
        found = tuple((one.name, sum_of(transaction, one)) for one in known_tables())
    if found != tuple((one.name, sum_of(view, one)) for one in known_tables()):
        raise RefusedError(
            f"The target is not empty: it has rows in {', '.join(full[:3])}. Nothing was copied; name an empty one."
        )
    return CopiedStore(tables=found, resumed=True)


def _begin(target: Engine, place: str) -> bool:
    """Note whose copy the target gets; says whether it was begun before."""
    with target.write() as transaction:
        begun = meta.get(transaction, meta.COPIED_FROM)
        if begun and begun != place:
            raise RefusedError(f"The target holds a part of another store: {begun}. Finish that copy, or empty it.")
        meta.put(transaction, meta.COPIED_FROM, place)
    return bool(begun)


def _copy_table(view: Transaction, target: Engine, table: StoredTable) -> Generator[Event, None, None]:
    """The rest of a table, a piece a transaction."""
    fact = f"{meta.COPYING}at.{table.name}"
    with target.read() as transaction:
        noted = meta.get(transaction, fact)
    after: list[Value] | None = json.loads(noted) if noted else None
    while (after is None or table.key) and (rows := _piece(view, table, after)):
        after = [rows[-1][table.columns.index(column)] for column in table.key]
        with target.write() as transaction:
            _insert(transaction, table, rows)
            meta.put(transaction, fact, json.dumps(after))
        yield Advanced(stage=STAGE, done=0, note=table.name)


def _check_table(view: Transaction, target: Engine, table: StoredTable) -> Generator[Event, None, TableSum]:
    """The sum that both sides have; a table that differs is copied once more from its beginning."""
    wanted = sum_of(view, table)
    for _ in range(2):
        with target.read() as transaction:
            found = sum_of(transaction, table)
        if found == wanted:
            return wanted
        with target.write() as transaction:
            transaction.all(f"DELETE FROM {table.name} WHERE {_own(table)}")
            meta.put(transaction, f"{meta.COPYING}at.{table.name}", "")
        yield from _copy_table(view, target, table)
    with target.read() as transaction:
        found = sum_of(transaction, table)
    if found != wanted:
        raise StoreError(
            f"The copy of {table.name} differs from what was read ({found.rows} rows for {wanted.rows}): somebody else"
            " writes to the target. Stop that, and run the same again."
        )
    return wanted


def _finish(target: Engine, serials: Sequence[tuple[StoredTable, int]], facts: Mapping[str, str]) -> None:
    """Make the target usable: its numbers go on, its index of skills is filled, and it is marked as whole."""
    with target.write() as transaction:
        for table, last in serials:
            for statement in transaction.dialect.set_serial if last else ():
                values = (last,) if "?" in statement else ()
                transaction.all(_named(statement, table), values)
        hook_skills.index_all(transaction)
        for name, value in facts.items():
            meta.put(transaction, name, value)
        meta.forget_copying(transaction)


def _last_serial(view: Transaction, table: StoredTable) -> int:
    return cast("int", view.all(_named(view.dialect.last_serial, table))[0][0])


def _named(statement: str, table: StoredTable) -> str:
    return statement.replace("$table", table.name).replace("$column", table.serial)


def _insert(transaction: Transaction, table: StoredTable, rows: Sequence[Row]) -> None:
    """Write rows as they are; without a key there is nothing to know one again by, so they come all at once."""
    marks = ", ".join("?" * len(table.columns))
    own = transaction.dialect.own_serial if table.serial else ""
    sql = f"INSERT INTO {table.name} ({', '.join(table.columns)}) {own} VALUES ({marks})"
    try:
        transaction.many(f"{sql} ON CONFLICT DO NOTHING" if table.key else sql, rows)
    except ValueError as error:
        raise StoreError(f"A row of {table.name} cannot be written to the target: {error}.") from error


def _rows(transaction: Transaction, table: StoredTable) -> Iterator[Row]:
    """All rows of a table, a piece at a time."""
    after: list[Value] | None = None
    while (after is None or table.key) and (rows := _piece(transaction, table, after)):
        after = [rows[-1][table.columns.index(column)] for column in table.key]
        yield from rows


def _piece(transaction: Transaction, table: StoredTable, after: Sequence[Value] | None) -> list[Row]:
    """The next rows behind a key; all of them where there is no key."""
    sql = f"SELECT {', '.join(table.columns)} FROM {table.name} WHERE {_own(table)}"
    if not table.key:
        return transaction.all(sql)
    keys = ", ".join(table.key)
    if after:
        sql += f" AND ({keys}) > ({', '.join('?' * len(table.key))})"
    return transaction.all(f"{sql} ORDER BY {keys} LIMIT {AT_ONCE}", tuple(after or ()))


def _own(table: StoredTable) -> str:
    return OWN if table.name == "meta" else "1 = 1"


def _bytes(row: Row) -> bytes:
    """A row as bytes that only equal rows have, on either engine."""
    parts = [value.hex() if isinstance(value, bytes) else value for value in row]
    return json.dumps([[type(value).__name__, part] for value, part in zip(row, parts, strict=True)]).encode()
