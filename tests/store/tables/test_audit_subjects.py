"""What was done to one thing is found in an index, on both engines, and is exactly what a look at every entry finds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from metier.errors import NotFoundError
from metier.store.engines.migrate import known_migrations, migrate
from metier.store.tables import audit
from metier.types.audit import AuditEntry

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.store.engines.engine import Engine, Row, Transaction, Value

NOW = "2026-01-05T12:00:00Z"
LONG = "a-skill-in/" + "deep/" * 40 + "folder"
SUBJECTS = (
    "deploy",
    "deploy abc123",
    "deploy-all",
    "deployé",
    "Deploy",
    "0123456789ab The lesson's words, e.g. `git add .`",
    "0123456789abc",
    LONG,
    f"{LONG} v2",
    f"{LONG}-too",
    "straße x",
    "deploy",
)


class Explained:
    """A transaction that also asks the database how it goes about each statement."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction
        self.workspace, self.dialect = transaction.workspace, transaction.dialect
        self.plans: list[str] = []

    def all(self, sql: str, values: Sequence[Value] = ()) -> list[Row]:
        word = "EXPLAIN QUERY PLAN" if self.dialect.name == "sqlite" else "EXPLAIN"
        self.plans.append(str(self._transaction.all(f"{word} {sql}", values)))
        return self._transaction.all(sql, values)

    def many(self, sql: str, rows: Sequence[Sequence[Value]]) -> int:
        return self._transaction.many(sql, rows)


def entry(subject: str) -> AuditEntry:
    return AuditEntry(happened=NOW, actor="ada", action="skill edit", subject=subject)


def test_a_thing_has_its_own_entries_only_however_its_name_goes_on(engine: Engine) -> None:
    with engine.write() as transaction:
        for one in SUBJECTS:
            audit.add(transaction, entry(one))
    with engine.read() as transaction:
        for thing in ("deploy", "deployé", "0123456789ab", LONG, "straße", "none", "%", "Deploy"):
            found = [one.subject for one in audit.list_about(transaction, thing)]
            assert found == [one for one in SUBJECTS if f"{one} ".startswith(f"{thing} ")], thing
        both = audit.list_about(transaction, "Deploy", "deploy")
        assert [one.subject for one in both] == ["deploy", "deploy abc123", "Deploy", "deploy"]
        assert audit.last_about(transaction, ["deploy", "none", LONG]) == {"deploy": 12, LONG: 9}
        assert audit.get(transaction, 2).subject == "deploy abc123"
        with pytest.raises(NotFoundError, match="no entry 99"):
            audit.get(transaction, 99)


def test_the_index_is_used_also_where_entries_were_there_before_it(bare_engine: Engine) -> None:
    migrate(bare_engine, NOW, known_migrations()[:23])
    rows = [(NOW, "ada", "skill edit", f"skill-{number}", "", "w", "", f"{number}") for number in range(3000)]
    columns = "happened, actor, action, subject, reason, workspace, previous, hash"
    with bare_engine.write() as transaction:
        transaction.many(f"INSERT INTO audit ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
    migrate(bare_engine, NOW)
    with bare_engine.write() as transaction:
        transaction.all("ANALYZE audit")
        watched = Explained(transaction)
        assert [one.sequence for one in audit.list_about(watched, "skill-77", "skill-2999")] == [78, 3000]
        assert audit.last_about(watched, ["skill-77", "skill-78"]) == {"skill-77": 78, "skill-78": 79}
        assert len(watched.plans) == 2
        for plan in watched.plans:
            assert "audit_by_subject" in plan, plan
