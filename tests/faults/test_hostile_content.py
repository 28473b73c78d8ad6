"""Content that is torn, huge or not text: refused or put aside in bounded memory; every other run stays readable."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from sweep import (
    METIER,
    check_database,
    clear_line,
    environ_of,
    hook,
    listed,
    metier,
    names,
    run,
    spool,
    state_of,
    worker,
)
from waiting import line_of

if TYPE_CHECKING:
    from pathlib import Path

MEGABYTE = 1024 * 1024
MEMORY = 200 * 1024
"""Kilobytes that a process may take for any input."""
OLD = {f"old-{index}" for index in range(3)}

SMALL = (
    "import resource, subprocess, sys; code = subprocess.call(sys.argv[1:]);"
    "used = resource.getrusage(resource.RUSAGE_CHILDREN);"
    "print(used.ru_maxrss, used.ru_utime + used.ru_stime, file=sys.stderr); sys.exit(code)"
)
PLAIN = """
import json, sys
for line in sys.stdin.buffer:
    try:
        json.loads(line)
    except ValueError:
        pass
"""
"""What a few lines of Python do with the same input: the yardstick for time."""
ALONE = (sys.executable, "-c", SMALL)
"""Runs a command from a small process: a child's memory is counted from what its parent had when it was made."""


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A workspace with a few runs."""
    folder = tmp_path / "old"
    folder.mkdir()
    assert run(worker("record", folder, "old", 3)).code == 0
    return folder


def _measured(command: list[str], given: Path, folder: Path) -> tuple[int, str, int, float]:
    """Exit code, stderr, peak memory in kilobytes and seconds of work of a command in a folder that reads a file."""
    with given.open("rb") as stream:
        environ, pipe = environ_of(folder), subprocess.PIPE
        process = subprocess.Popen([*ALONE, *command], stdin=stream, stderr=pipe, cwd=folder, env=environ)
    assert process.stderr
    *said, used = process.stderr.read().decode().splitlines(keepends=True)
    process.stderr.close()
    memory, seconds = used.split()
    return process.wait(60), "".join(said), int(memory), float(seconds)


def _huge(file: Path, shape: str) -> Path:
    """100 MB of JSON: one run on one line, or one spread over several lines."""
    lines = {
        "one line": ('{"message": "', '"}\n'),
        "several lines": ('{\n"message":\n"', '"\n}\n'),
        "no end": ('{"message": "', ""),
        "many lines": ('{"message": ["', '"]}\n'),
    }
    head, tail = lines[shape]
    piece = ("x" * 99 + "\n" if shape == "many lines" else "x" * 100) * 10_000
    with file.open("w") as out:
        out.write(head)
        for _ in range(100):
            out.write(piece)
        out.write(tail)
    return file


SLOW = [pytest.param(shape, marks=pytest.mark.slow) for shape in ("several lines", "no end", "many lines")]


@pytest.mark.parametrize("shape", ["one line", *SLOW])
def test_a_hundred_megabytes_are_refused_quickly_and_in_little_memory(shape: str, old: Path, tmp_path: Path) -> None:
    given = _huge(tmp_path / "huge.json", shape)
    code, said, memory, seconds = _measured([METIER, "-w", str(old), "record"], given, old)
    *_, plain = _measured([sys.executable, "-c", PLAIN], given, old)
    given.unlink()
    assert code == 1
    assert "refused" in said
    assert "Traceback" not in said
    assert memory < MEMORY
    assert seconds < 2 * plain + 2, plain
    assert names(old) == OLD


def test_a_hundred_megabytes_through_a_hook_are_refused_quickly_and_in_little_memory(old: Path, tmp_path: Path) -> None:
    given = _huge(tmp_path / "huge.json", "one line")
    code, said, memory, seconds = _measured(hook(old), given, old)
    given.unlink()
    assert (code, said) == (0, "")
    assert "larger than" in (state_of(old) / "spool" / "errors.log").read_text()
    assert memory < MEMORY
    assert seconds < 5
    assert names(old) == OLD


def test_a_huge_line_does_not_stop_the_others(old: Path) -> None:
    given = b'{"id": "a", "message": "a"}\n{"message": "' + b"x" * 17 * MEGABYTE + b'"}\n{"id": "b", "message": "b"}\n'
    done = metier(old, "record", given=given)
    assert done.code == 1
    assert "refused line 2" in done.err
    assert names(old) == OLD | {"a", "b"}


def test_a_large_record_is_kept_by_either_way(old: Path) -> None:
    message = "x ä \N{GRINNING FACE} \x01 " * 100_000
    assert metier(old, "record", given=json.dumps({"id": "told", "message": message})).code == 0
    spool(old, {"id": "spooled", "message": message})
    rows = {row["external_id"]: row["message"] for row in listed(old)}
    assert rows["told"] == message
    assert rows["spooled"] == message


@pytest.mark.parametrize("text", ["ä", pytest.param("x", marks=pytest.mark.slow)])
def test_what_a_hook_accepted_is_not_too_large_afterwards(text: str, old: Path) -> None:
    message = text * (15 * MEGABYTE // len(text.encode()))
    given = json.dumps({"id": "spooled", "message": message}, ensure_ascii=False).encode()
    assert spool(old, given).code == 0
    assert not (state_of(old) / "spool" / "errors.log").exists()
    assert names(old) == OLD | {"spooled"}


BYTES = {
    "invalid UTF-8": b'{"id": "utf", "message": "a \xff\xfe b"}',
    "a NUL in JSON": b'{"id": "nul", "message": "a \\u0000 b"}',
    "a raw NUL": b'{"id": "raw", "message": "a \x00 b"}',
    "lone surrogates": b'{"id": "lone", "message": "a \\udc00\\ud800 b", "session": "\\udfff"}',
    "deep nesting": b'{"id": "deep", "message": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "a long number": b'{"id": "long", "message": ' + b"9" * 10_000 + b"}",
    "binary": bytes(range(256)) * 20,
    "a list": b"[1, 2, 3]",
}


def test_bytes_that_are_no_text_leave_all_others_readable(old: Path) -> None:
    lines = [given.replace(b"\n", b" ") for given in BYTES.values()]
    told = metier(
        old, "record", given=b"\n".join([b'{"id": "a", "message": "x"}', *lines, b'{"id": "z", "message": "y"}'])
    )
    assert told.code == 1
    assert "Traceback" not in told.err
    assert "This is a bug" not in told.err
    folder = state_of(old) / "spool"
    for index, given in enumerate(BYTES.values()):
        assert spool(old, given).code == 0
        (folder / f"{index:020d}-1-aa.json").write_bytes(given)
    alone = BYTES["lone surrogates"].replace(b'"lone"', b'"alone"')
    (folder / f"{9:020d}-1-aa.json").write_bytes(b'{"kind": "run", "v": 1, "run": ' + alone + b"}")
    assert names(old) >= OLD | {"a", "z", "nul", "lone", "alone"}
    for words in (("runs", "list"), ("runs", "list", "--json"), ("runs", "search", "task")):
        shown = metier(old, *words)
        assert (shown.code, shown.err) == (0, "")
    assert not list(folder.glob("*.json"))


def test_a_spool_file_torn_at_any_byte_is_put_aside_and_the_others_are_taken_in(old: Path) -> None:
    whole = json.dumps({"kind": "run", "run": {"id": "torn", "message": "m"}, "v": 1}).encode()
    folder = state_of(old) / "spool"
    for size in range(len(whole)):
        (folder / f"{size:020d}-1-torn.json").write_bytes(whole[:size])
    spool(old, {"id": "hook-0", "message": "whole"})
    assert names(old) == OLD | {"hook-0"}
    assert len(list((folder / "bad").iterdir())) == len(whole)
    assert not list(folder.glob("*.json"))


@pytest.mark.parametrize("kind", ["folder", "fifo", "link to nothing", "not readable"])
def test_an_odd_thing_in_the_spool_is_in_nobodys_way(kind: str, old: Path) -> None:
    odd = state_of(old) / "spool" / "00000000000000000001-1-odd.json"
    match kind:
        case "folder":
            odd.mkdir()
        case "fifo":
            os.mkfifo(odd)
        case "link to nothing":
            odd.symlink_to("/nonexistent/file")
        case _:
            odd.write_bytes(b"\0")
            odd.chmod(0)
    spool(old, {"id": "hook-0", "message": "whole"})
    done = subprocess.run(worker("listed", old), capture_output=True, env=environ_of(old), timeout=10)
    assert done.returncode == 0, done.stderr.decode()
    assert {row["external_id"] for row in json.loads(done.stdout)} == OLD | {"hook-0"}


def test_a_run_whose_stored_text_is_damaged_is_in_nobodys_way(old: Path) -> None:
    connection = sqlite3.connect(state_of(old) / "metier.db")
    connection.execute("UPDATE runs SET body = substr(body, 1, 20) WHERE external_id = 'old-1'")
    connection.commit()
    connection.close()
    done = metier(old, "runs", "list", "--json")
    assert done.code == 0, done.err
    assert {row["external_id"] for row in json.loads(done.out)} >= {"old-0", "old-2"}
    assert metier(old, "runs", "search", "task").code == 0
    told = metier(old, "record", given='{"id": "next", "message": "x"}')
    assert told.code == 0, told.err
    doctor = metier(old, "doctor")
    assert doctor.code == 1
    assert "damaged" in doctor.out


def _cut(file: Path) -> None:
    with file.open("r+b") as out:
        out.truncate(file.stat().st_size * 2 // 3 // 4096 * 4096)


def _grow(folder: Path) -> None:
    """Record enough for the database to have many pages of every kind."""
    texts = (" ".join(f"word{index}x{number}" for number in range(5000)) for index in range(3))
    given = "\n".join(json.dumps({"id": f"big-{index}", "message": text}) for index, text in enumerate(texts))
    assert metier(folder, "record", given=given).code == 0


def _flipped(file: Path) -> None:
    """Zero the header of every page but the first."""
    with file.open("r+b") as out:
        for page in range(1, file.stat().st_size // 4096):
            out.seek(page * 4096)
            out.write(b"\xa5" * 64)


def _overwritten(file: Path) -> None:
    with file.open("r+b") as out:
        out.write(b"not a database any more, sorry")


@pytest.mark.parametrize("damage", [_cut, _flipped, _overwritten])
def test_a_damaged_database_is_one_clear_line_and_the_doctor_names_it(damage: object, old: Path) -> None:
    assert callable(damage)
    _grow(old)
    damage(state_of(old) / "metier.db")
    clear_line(metier(old, "runs", "list", "--json"))
    clear_line(metier(old, "record", "--json", given='{"id": "next", "message": "x"}'))
    doctor = metier(old, "doctor")
    assert doctor.code == 1
    assert "metier.db" in doctor.out
    assert "Traceback" not in doctor.err


def test_the_doctor_names_a_database_whose_last_page_is_cut_off(old: Path) -> None:
    _grow(old)
    with (state_of(old) / "metier.db").open("r+b") as out:
        out.truncate(out.seek(0, os.SEEK_END) - 1000)
    doctor = metier(old, "doctor")
    assert doctor.code == 1, doctor.out
    assert "metier.db" in doctor.out


def test_a_damaged_log_costs_at_most_its_last_runs(old: Path, tmp_path: Path) -> None:
    process = subprocess.Popen(worker("record", old, "new"), stdout=subprocess.PIPE, env=environ_of(old))
    assert process.stdout
    first = [line_of(process, process.stdout).decode().strip() for _ in range(20)]
    process.kill()
    process.wait(60)
    process.stdout.close()
    log = state_of(old) / "metier.db-wal"
    with log.open("r+b") as out:
        out.truncate(log.stat().st_size - 100)
    assert names(old) >= OLD | set(first[:-1])
    check_database(old)


def test_a_torn_backup_is_refused_or_whole(old: Path, tmp_path: Path) -> None:
    file = tmp_path / "saved.tar.gz"
    assert run(worker("backup", old, file)).code == 0
    assert run(worker("record", old, "later", 1)).code == 0
    size = file.stat().st_size
    torn = tmp_path / "torn.tar.gz"
    for cut in (size // 3, size - 1):
        shutil.copy(file, torn)
        os.truncate(torn, cut)
        ended = metier(old, "restore", str(torn), "--yes")
        if ended.code:
            clear_line(ended)
        assert names(old) == (OLD | {"later-0"} if ended.code else OLD)
        assert ended.code or cut == size - 1
