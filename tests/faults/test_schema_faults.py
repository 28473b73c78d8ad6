"""Migrations that are killed half-way or run by two at once, and a store from a newer version."""

from __future__ import annotations

import sqlite3
import subprocess
from itertools import count
from typing import TYPE_CHECKING

import pytest
from sweep import (
    ENVIRON,
    PATIENCE,
    SYSCALLS,
    clear_line,
    injected,
    metier,
    need_strace,
    points,
    run,
    spread,
    state_of,
    worker,
)

if TYPE_CHECKING:
    from pathlib import Path


def _steps_taken(folder: Path) -> list[int]:
    """The migrations that ran; each has made its table and filled it once."""
    connection = sqlite3.connect(folder / "bare.db")
    try:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        taken = [row[0] for row in connection.execute("SELECT number FROM migrations ORDER BY number")]
        for number in taken:
            assert connection.execute(f"SELECT a FROM t{number}").fetchall() == [(1,)]
        return taken
    finally:
        connection.close()


def _kill(folder: Path, syscall: str, number: int) -> bool:
    folder.mkdir()
    ended = run(injected(worker("migrate", folder), syscall, "signal=SIGKILL", number))
    again = run(worker("migrate", folder))
    assert again.code == 0, f"{syscall} {number}: {again.err}"
    assert _steps_taken(folder) == [1, 2, 3]
    return ended.killed


def test_a_migration_killed_here_and_there_goes_on_where_it_was(tmp_path: Path) -> None:
    need_strace()
    (tmp_path / "traced").mkdir()
    calls = points(worker("migrate", tmp_path / "traced"), tmp_path / "trace")
    for index, (syscall, number) in enumerate(spread(calls, 6)):
        assert _kill(tmp_path / str(index), syscall, number)


@pytest.mark.slow
@pytest.mark.parametrize("syscall", SYSCALLS)
def test_a_migration_killed_at_any_system_call_goes_on_where_it_was(syscall: str, tmp_path: Path) -> None:
    need_strace()
    for number in count(1):
        if not _kill(tmp_path / str(number), syscall, number):
            break


def test_migrations_by_several_at_once_run_once_each(tmp_path: Path) -> None:
    for number in range(3):
        folder = tmp_path / str(number)
        folder.mkdir()
        started = [subprocess.Popen(worker("migrate", folder), stderr=subprocess.PIPE, env=ENVIRON) for _ in range(4)]
        for process in started:
            _, err = process.communicate(timeout=PATIENCE)
            assert process.returncode == 0, err.decode()
        assert _steps_taken(folder) == [1, 2, 3]


def test_a_store_from_a_newer_version_is_left_alone_with_one_clear_line(tmp_path: Path) -> None:
    assert run(worker("record", tmp_path, "old", 2)).code == 0
    database = state_of(tmp_path) / "metier.db"
    connection = sqlite3.connect(database)
    connection.execute("INSERT INTO migrations (number, name, applied) VALUES (9999, 'future', '2030-01-01T00:00:00Z')")
    connection.commit()
    connection.close()
    before = database.read_bytes()
    for words in (("runs", "list"), ("record",), ("backup", str(tmp_path / "b.tar.gz")), ("runs", "search", "x")):
        ended = metier(tmp_path, *words, given='{"message": "x"}')
        clear_line(ended)
        assert "newer Metier" in ended.err
        assert "pip install --upgrade metier" in ended.err
    assert metier(tmp_path, "doctor").code == 1
    assert database.read_bytes() == before
