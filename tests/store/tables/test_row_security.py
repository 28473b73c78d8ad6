"""Roles of the database that read one workspace: of another they see nothing, and they write nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import psycopg
import pytest
from cli_shell import Shell
from learn_world import TESTS, Clock, opened, task

from metier.maintenance.readers import readable_tables
from metier.runs.verdicts import mark_run
from metier.store.copying.shape import known_tables

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from metier.workspace import Workspace

pytestmark = pytest.mark.xdist_group("postgresql")


@pytest.fixture
def roles(new_postgres: str) -> Iterator[dict[str, str]]:
    """Addresses for two roles that were given nothing yet."""
    found: dict[str, str] = {}
    for name in ("reader_a", "reader_b"):
        with psycopg.connect(new_postgres, autocommit=True) as connection:
            if not connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (name,)).fetchone():
                connection.execute(f"CREATE ROLE {name} LOGIN")  # type: ignore[arg-type]
        found[name] = new_postgres.replace("postgresql://postgres:", f"postgresql://{name}:")
    yield found
    with psycopg.connect(new_postgres, autocommit=True) as connection:
        for name in found:
            connection.execute(f"DROP OWNED BY {name}")  # type: ignore[arg-type]
            connection.execute(f"DROP ROLE {name}")  # type: ignore[arg-type]


def seen(url: str) -> dict[str, int]:
    """How many rows of each table a role sees; -1: it may not look at all."""
    found: dict[str, int] = {}
    with psycopg.connect(url, autocommit=True, options="-c search_path=metier") as connection:
        for table in known_tables():
            try:
                row = connection.execute(f"SELECT count(*) FROM {table.name}").fetchone()  # type: ignore[arg-type]
                found[table.name] = row[0] if row else 0
            except (psycopg.errors.InsufficientPrivilege, psycopg.errors.UndefinedTable):
                found[table.name] = -1
    return found


def test_a_role_of_another_workspace_sees_nothing(
    new_postgres: str, roles: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    for name, count in (("a", 5), ("b", 3)):
        with opened(tmp_path / name, Clock(), store=new_postgres) as ws:
            ws.deliver(task(TESTS, 0, count))
            mark_run(ws.context, ws.runs()[0].id, "bad")
    assert set(seen(roles["reader_b"]).values()) == {-1}
    monkeypatch.setenv("METIER_STORE", new_postgres)
    shell = Shell(tmp_path / "a", monkeypatch, capsys)
    assert "can read" in shell.run("store", "rls", "allow", "reader_a").err
    assert shell.json("store", "rls", "list") == ["reader_a"]
    with_rows = seen(roles["reader_a"])
    assert (with_rows["runs"], with_rows["verdicts"], with_rows["audit"]) == (5, 1, 2)
    assert set(seen(roles["reader_b"]).values()) == {-1}
    Shell(tmp_path / "b", monkeypatch, capsys).ok("store", "rls", "allow", "reader_b")
    assert (seen(roles["reader_b"])["runs"], seen(roles["reader_b"])["verdicts"]) == (3, 1)
    assert seen(roles["reader_a"]) == with_rows
    withheld = {table.name for table in known_tables()} - {*readable_tables(), "reader_roles"}
    assert {with_rows[name] for name in withheld} == {-1}
    assert shell.run("store", "rls", "allow", "nobody").code == 1
    shell.ok("store", "rls", "stop", "reader_a")
    assert max(seen(roles["reader_a"]).values()) == 0


def test_a_reader_writes_nothing_and_metier_works_as_before(
    new_postgres: str, roles: dict[str, str], tmp_path: Path
) -> None:
    from metier.maintenance.readers import allow_reader

    with opened(tmp_path / "a", Clock(), store=new_postgres) as ws:
        ws.deliver(task(TESTS, 0, 2))
        allow_reader(ws.context, "reader_a")
        with psycopg.connect(roles["reader_a"], options="-c search_path=metier") as connection:
            for sql in (
                "DELETE FROM runs",
                "UPDATE runs SET agent = 'x'",
                "INSERT INTO reader_roles VALUES ('b', 'c')",
            ):
                with pytest.raises(psycopg.errors.InsufficientPrivilege), connection.transaction():
                    connection.execute(sql)  # type: ignore[arg-type]
        ws.deliver(task(TESTS, 2, 2))
        assert len(ws.runs()) == 4


def test_a_store_in_a_file_has_no_roles(ws: Workspace) -> None:
    from metier.errors import ConfigError
    from metier.maintenance.readers import list_readers

    with pytest.raises(ConfigError, match="is a file"):
        list_readers(ws.context)
