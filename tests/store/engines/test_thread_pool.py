"""Many threads on one PostgreSQL store: few connections, nothing lost, and a server that was away is found again."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from metier.store.engines.migrate import migrate
from metier.store.engines.postgres import PostgresEngine
from metier.store.engines.thread_pool import MOST
from metier.store.tables import meta

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.xdist_group("postgresql")
THREADS = 32
OURS = "FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'"


@pytest.fixture
def engine(new_postgres: str) -> Iterator[PostgresEngine]:
    made = PostgresEngine(new_postgres, wait=20, workspace="w")
    migrate(made, "2026-01-05T12:00:00.000000Z")
    yield made
    made.close()


def count_up(engine: PostgresEngine) -> None:
    with engine.write() as transaction:
        meta.put(transaction, "n", str(int(meta.get(transaction, "n") or "0") + 1))


def counted(engine: PostgresEngine) -> str:
    with engine.read() as transaction:
        return meta.get(transaction, "n")


def test_many_threads_lose_no_write_and_take_few_connections(engine: PostgresEngine) -> None:
    with ThreadPoolExecutor(THREADS) as threads:
        list(threads.map(lambda _: count_up(engine), range(100)))
    assert counted(engine) == "100"
    with engine.read() as transaction:
        ((connections,),) = transaction.all(f"SELECT count(*) {OURS}")
    assert int(str(connections)) <= MOST + 1


def test_a_thread_that_writes_inside_a_write_does_not_wait_for_itself(engine: PostgresEngine) -> None:
    def twice() -> None:
        with engine.write():
            count_up(engine)

    with ThreadPoolExecutor(1) as threads:
        threads.submit(twice).result(20)
    assert counted(engine) == "1"


def test_connections_that_were_cut_are_replaced(engine: PostgresEngine) -> None:
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda _: count_up(engine), range(8)))
        with engine.read() as transaction:
            transaction.all(f"SELECT pg_terminate_backend(pid) {OURS} AND pid <> pg_backend_pid()")
        list(threads.map(lambda _: count_up(engine), range(8)))
    assert counted(engine) == "16"
