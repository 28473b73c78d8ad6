"""A server that gives one connection only is enough: for the lock of a pass and for several threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import psycopg
import pytest
from cli_shell import bumps
from waiting import until

from metier.context.state_folder import exclusive_lock
from metier.errors import UnreachableError
from metier.store.engines.postgres import PostgresEngine
from metier.store.tables import meta
from metier.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.xdist_group("postgresql")


@pytest.fixture
def modest(new_postgres: str) -> str:
    """The address of an empty database for a role that may have one connection."""
    with psycopg.connect(new_postgres, autocommit=True) as connection:
        if not connection.execute("SELECT 1 FROM pg_roles WHERE rolname = 'modest'").fetchone():
            connection.execute("CREATE ROLE modest LOGIN CONNECTION LIMIT 1")
            connection.execute("GRANT CREATE ON DATABASE postgres TO modest")
        left = "SELECT 1 FROM pg_stat_activity WHERE usename = 'modest'"
        until(lambda: not connection.execute(left).fetchone(), "the server to end what was closed")
    url = new_postgres.replace("postgresql://postgres:", "postgresql://modest:")
    assert url != new_postgres
    return url


def test_the_role_really_gets_one_connection(modest: str) -> None:
    with psycopg.connect(modest):
        other = PostgresEngine(modest, workspace="w")
        with pytest.raises(UnreachableError, match="too many connections"), other.read():
            pass


def test_learn_needs_one_connection(modest: str, tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    with Workspace.open(tmp_path / "shop", environ={"HOME": str(tmp_path), "METIER_STORE": modest}) as ws:
        ws.deliver(bumps())
        for _ in ws.learn():
            pass
        assert len(ws.drafts()) == 1


def test_the_lock_is_let_go_also_by_another_thread(new_postgres: str, tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    with Workspace.open(tmp_path / "shop", environ={"HOME": str(tmp_path), "METIER_STORE": new_postgres}) as ws:
        lock = exclusive_lock(ws.context, 0)
        lock.__enter__()
        with ThreadPoolExecutor(1) as other:
            other.submit(lock.__exit__, None, None, None).result(60)
        again = Workspace.open(tmp_path / "shop", environ={"HOME": str(tmp_path), "METIER_STORE": new_postgres})
        with again, exclusive_lock(again.context, 0):
            pass


def test_threads_share_the_one_connection(modest: str, tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    with Workspace.open(tmp_path / "shop", environ={"HOME": str(tmp_path), "METIER_STORE": modest}) as ws:

        def count_up(_: int) -> None:
            with ws.context.store.write() as transaction:
                meta.put(transaction, "n", str(int(meta.get(transaction, "n") or "0") + 1))

        with exclusive_lock(ws.context, 0), ThreadPoolExecutor(4) as threads:
            list(threads.map(count_up, range(40)))
        with ws.context.store.read() as transaction:
            assert meta.get(transaction, "n") == "40"
