from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from metier.errors import SchemaError, StoreError
from metier.runs.derive import record_of
from metier.store.engines.migrate import Migration, check, known_migrations, migrate, version
from metier.store.tables import meta
from metier.store.tables.runs import full_text, runs
from metier.types import Run

if TYPE_CHECKING:
    from metier.store.engines.engine import Engine

NOW = "2026-01-05T12:00:00Z"
TRAINING = "id, workspace, skill, status, updated, body, start, report"
FIRST = Migration(number=1, name="first", statements=("CREATE TABLE a (x TEXT)",))
SECOND = Migration(number=2, name="second", statements=("CREATE TABLE b (x TEXT)", "INSERT INTO b VALUES ('kept')"))
BROKEN = Migration(number=2, name="broken", statements=("CREATE TABLE b (x TEXT)", "INSERT INTO nowhere VALUES (1)"))


def test_shipped_migrations_are_numbered_without_gaps() -> None:
    assert [step.number for step in known_migrations()] == list(range(1, len(known_migrations()) + 1))


def test_each_step_is_taken_once(bare_engine: Engine) -> None:
    assert migrate(bare_engine, NOW, [FIRST]) == [FIRST]
    assert migrate(bare_engine, NOW, [FIRST, SECOND]) == [SECOND]
    assert migrate(bare_engine, NOW, [FIRST, SECOND]) == []
    with bare_engine.read() as transaction:
        assert version(transaction) == 2
        assert transaction.all("SELECT x FROM b") == [("kept",)]


def test_a_step_that_fails_leaves_no_trace_and_can_be_taken_later(bare_engine: Engine) -> None:
    with pytest.raises(StoreError):
        migrate(bare_engine, NOW, [FIRST, BROKEN])
    with bare_engine.read() as transaction:
        assert version(transaction) == 1
    assert migrate(bare_engine, NOW, [FIRST, SECOND]) == [SECOND]


def test_the_whole_schema_is_made_from_the_first_step_on(bare_engine: Engine) -> None:
    for count in range(1, len(known_migrations()) + 1):
        assert [step.number for step in migrate(bare_engine, NOW, known_migrations()[:count])] == [count]
    tables = [
        "runs",
        "verdicts",
        "patterns",
        "drafts",
        "glances",
        "profiles",
        "cases",
        "rollouts",
        "selections",
        "events",
        "memo",
        "audit",
    ]
    with bare_engine.read() as transaction:
        for table in tables:
            assert transaction.all(f"SELECT count(*) FROM {table}") == [(0,)]


def test_a_newer_schema_is_refused_with_what_to_do(bare_engine: Engine) -> None:
    migrate(bare_engine, NOW, [FIRST, SECOND])
    with pytest.raises(
        SchemaError, match=r"newer Metier .schema 2; this version knows 1.*pip install --upgrade metier"
    ):
        migrate(bare_engine, NOW, [FIRST])


def test_a_schema_is_current_behind_or_ahead() -> None:
    assert check(2, [FIRST, SECOND])
    assert not check(1, [FIRST, SECOND])
    with pytest.raises(SchemaError):
        check(3, [FIRST, SECOND])


@pytest.mark.xdist_group("postgresql")
def test_migrators_that_come_at_once_to_an_empty_server_take_each_step_once(new_postgres: str) -> None:
    from metier.store.engines.postgres import PostgresEngine

    engines = [PostgresEngine(new_postgres, wait=30, workspace="w") for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        taken = list(pool.map(lambda one: migrate(one, NOW), engines, timeout=60))
    assert sorted(step.number for steps in taken for step in steps) == [one.number for one in known_migrations()]
    with engines[0].read() as transaction:
        assert check(version(transaction))
    for engine in engines:
        engine.close()


def test_a_training_from_before_workspaces_had_their_own_is_kept(bare_engine: Engine) -> None:
    row = ("3f79", "w", "adder", "finished", NOW, "{}", b"\x00\xff", "report")
    migrate(bare_engine, NOW, [step for step in known_migrations() if step.number < 15])
    with bare_engine.write() as transaction:
        transaction.all(f"INSERT INTO trainings ({TRAINING}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
    migrate(bare_engine, NOW)
    with bare_engine.write() as transaction:
        other = (row[0], "another", *row[2:])
        transaction.all(f"INSERT INTO trainings ({TRAINING}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", other)
        assert transaction.all(f"SELECT {TRAINING} FROM trainings ORDER BY workspace DESC") == [row, other]


def test_what_could_be_found_before_words_were_indexed_anew_is_found_afterwards(bare_engine: Engine) -> None:
    migrate(bare_engine, NOW, [step for step in known_migrations() if step.number < 25])
    text = "look at src/500.py"
    with bare_engine.write() as transaction:
        runs.keep(transaction, [record_of(Run(message=text, external_id="1"), "w", NOW)])
        if transaction.dialect.name == "sqlite":
            transaction.all("INSERT INTO runs_text (rowid, text) VALUES (1, ?)", (text,))
        else:
            transaction.all("INSERT INTO runs_text VALUES (1, to_tsvector('simple', ?))", (text,))
        meta.put(transaction, full_text.INDEXED, "1")
    migrate(bare_engine, NOW)
    with bare_engine.write() as transaction:
        full_text.catch_up(transaction)
        for words in ("look", "src/500.py", "500", "py"):
            assert len(full_text.search(transaction, words, 5)) == 1, words
