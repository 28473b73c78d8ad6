from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

import pytest
from waiting import join

from metier.errors import BusyError, StoreError
from metier.store.engines.sqlite import SqliteEngine
from metier.store.tables import meta

if TYPE_CHECKING:
    from pathlib import Path

    from metier.store.engines.engine import Engine


def test_a_transaction_that_raises_leaves_nothing_behind(engine: Engine) -> None:
    def fail() -> None:
        with engine.write() as transaction:
            meta.put(transaction, "a", "1")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    with engine.read() as transaction:
        assert meta.get(transaction, "a", "nothing") == "nothing"


def test_what_was_committed_is_there_for_another_connection(engine: Engine) -> None:
    with engine.write() as transaction:
        meta.put(transaction, "a", "1")
    found: list[str] = []

    def look() -> None:
        with engine.read() as transaction:
            found.append(meta.get(transaction, "a"))

    thread = threading.Thread(target=look)
    thread.start()
    join([thread])
    assert found == ["1"]


def test_a_reader_sees_one_moment_even_while_others_write(engine: Engine) -> None:
    with engine.write() as transaction:
        meta.put(transaction, "a", "1")

    def change() -> None:
        with engine.write() as transaction:
            meta.put(transaction, "a", "2")

    with engine.read() as transaction:
        before = meta.get(transaction, "a")
        thread = threading.Thread(target=change)
        thread.start()
        join([thread])
        assert (before, meta.get(transaction, "a")) == ("1", "1")
    with engine.read() as transaction:
        assert meta.get(transaction, "a") == "2"


def test_writers_in_many_threads_never_lose_an_update(engine: Engine) -> None:
    with engine.write() as transaction:
        meta.put(transaction, "count", "0")

    def add() -> None:
        for _ in range(20):
            with engine.write() as transaction:
                meta.put(transaction, "count", str(int(meta.get(transaction, "count")) + 1))

    threads = [threading.Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    join(threads)
    with engine.read() as transaction:
        assert meta.get(transaction, "count") == "80"


def test_waiting_for_another_writer_is_bounded(
    bare_engine: Engine, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if bare_engine.dialect.name == "sqlite":
        impatient: Engine = SqliteEngine(tmp_path / "metier.db", lock=tmp_path / "lock", wait=0.2)
    else:
        from metier.store.engines.postgres import PostgresEngine

        impatient = PostgresEngine(request.getfixturevalue("new_postgres"), wait=0.2)
    entered, leave = threading.Event(), threading.Event()

    def hold() -> None:
        with bare_engine.write():
            entered.set()
            leave.wait(10)

    thread = threading.Thread(target=hold)
    thread.start()
    entered.wait(10)
    began = time.monotonic()
    try:
        with pytest.raises(BusyError, match=r"0\.2 s"), impatient.write():
            pass
        assert time.monotonic() - began < 5
    finally:
        leave.set()
        join([thread])
        impatient.close()


def test_a_wrong_statement_is_a_store_error(engine: Engine) -> None:
    with pytest.raises(StoreError), engine.write() as transaction:
        transaction.all("SELECT no_such_column FROM runs")


def test_an_engine_works_again_after_it_was_closed(engine: Engine) -> None:
    engine.close()
    with engine.write() as transaction:
        meta.put(transaction, "a", "1")
    engine.close()
    with engine.read() as transaction:
        assert meta.get(transaction, "a") == "1"


def test_size_grows_with_content(engine: Engine) -> None:
    before = engine.size()
    with engine.write() as transaction:
        for number in range(200):
            meta.put(transaction, f"name-{number}", "x" * 4000)
    assert engine.size() > before


def test_sqlite_is_durable_and_never_checkpoints_by_itself(tmp_path: Path) -> None:
    engine = SqliteEngine(tmp_path / "metier.db", lock=tmp_path / "lock")
    with engine.write() as transaction:
        facts = {
            name: transaction.all(f"PRAGMA {name}")[0][0]
            for name in ("journal_mode", "synchronous", "wal_autocheckpoint", "secure_delete")
        }
    engine.close()
    assert facts == {"journal_mode": "wal", "synchronous": 2, "wal_autocheckpoint": 0, "secure_delete": 1}


def test_sqlite_readers_cannot_write(tmp_path: Path) -> None:
    engine = SqliteEngine(tmp_path / "metier.db", lock=tmp_path / "lock")
    with engine.write() as transaction:
        transaction.all("CREATE TABLE t (a TEXT)")
    with pytest.raises(StoreError), engine.read() as transaction:
        transaction.all("INSERT INTO t VALUES ('x')")
    engine.close()


def test_the_log_is_folded_away_once_it_is_large(tmp_path: Path) -> None:
    engine = SqliteEngine(tmp_path / "metier.db", lock=tmp_path / "lock")
    with engine.write() as transaction:
        transaction.all("CREATE TABLE t (a TEXT)")
    for _ in range(30):
        with engine.write() as transaction:
            transaction.all("INSERT INTO t VALUES (?)", ("x" * 1_000_000,))
    assert (tmp_path / "metier.db-wal").stat().st_size < 20_000_000
    engine.close()


def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    (tmp_path / "metier.db").write_bytes(b"this is not a database, but long enough to be taken for one" * 100)
    engine = SqliteEngine(tmp_path / "metier.db", lock=tmp_path / "lock")
    with pytest.raises(StoreError, match=r"metier\.db is damaged"), engine.read() as transaction:
        transaction.all("SELECT 1 FROM sqlite_master")
    engine.close()
