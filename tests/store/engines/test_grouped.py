from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from metier.store.engines.batched_writes import BatchedWrites
from metier.store.engines.sqlite import SqliteEngine

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from metier.store.engines.engine import Transaction


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[SqliteEngine]:
    engine = SqliteEngine(tmp_path / "x.db", lock=tmp_path / "lock")
    with engine.write() as transaction:
        transaction.all("CREATE TABLE words (number BIGINT PRIMARY KEY, word TEXT)")
    yield engine
    engine.close()


def add(transaction: Transaction, number: int) -> int:
    transaction.all("INSERT INTO words (number, word) VALUES (?, ?)", (number, "x"))
    return number


def count(engine: SqliteEngine) -> int:
    with engine.read() as transaction:
        return int(str(transaction.all("SELECT count(*) FROM words")[0][0]))


def test_what_was_written_now_is_there_and_so_is_all_that_came_before_it(engine: SqliteEngine) -> None:
    grouped = BatchedWrites(engine)
    grouped.later(lambda transaction: add(transaction, 1))
    assert grouped.now(lambda transaction: add(transaction, 2)) == 2
    assert count(engine) == 2


def test_flush_writes_what_nobody_waited_for(engine: SqliteEngine) -> None:
    grouped = BatchedWrites(engine)
    for number in range(5):
        grouped.later(lambda transaction, number=number: add(transaction, number))
    assert count(engine) == 0
    grouped.flush()
    grouped.flush()
    assert count(engine) == 5


def test_writes_of_many_threads_share_transactions_and_none_is_lost(engine: SqliteEngine) -> None:
    grouped = BatchedWrites(engine)
    start = threading.Barrier(16)

    def write(thread: int) -> None:
        start.wait(60)
        for at in range(20):
            grouped.now(lambda transaction: add(transaction, 100 * thread + at))  # noqa: B023

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(write, range(16)))
    assert count(engine) == 320


def test_when_a_transaction_fails_who_waits_is_told_and_the_next_one_works(engine: SqliteEngine) -> None:
    grouped = BatchedWrites(engine)
    grouped.now(lambda transaction: add(transaction, 1))
    with pytest.raises(Exception, match="UNIQUE"):
        grouped.now(lambda transaction: add(transaction, 1))
    grouped.now(lambda transaction: add(transaction, 2))
    assert count(engine) == 2
