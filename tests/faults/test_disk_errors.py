"""A disk, a limit or a folder that says no: one clear line, no acknowledgement, and no repair afterwards."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from states import has_state
from sweep import (
    METIER,
    Ended,
    adopt,
    clear_line,
    environ_of,
    home_of,
    injected,
    leftovers,
    listed,
    metier,
    names,
    need_root,
    need_strace,
    run,
    spool,
    state_of,
    worker,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

CALLS = ("write", "pwrite64", "fsync", "fdatasync")
OLD = {f"old-{index}" for index in range(3)}
GIVEN = "\n".join(json.dumps({"id": f"new-{index}", "message": f"task {index}"}) for index in range(2))
NEW = {"new-0", "new-1"}


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A workspace with a few runs."""
    folder = tmp_path / "old"
    folder.mkdir()
    assert run(worker("record", folder, "old", 3)).code == 0
    return folder


@pytest.fixture
def mounted(tmp_path: Path) -> Iterator[Path]:
    """A small file system of its own."""
    need_root()
    folder = tmp_path / "mounted"
    folder.mkdir()
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(folder)], capture_output=True, timeout=60
    ).returncode:
        pytest.skip("a tmpfs cannot be mounted here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True, timeout=60)


def _record(folder: Path) -> list[str]:
    return [METIER, "-w", str(folder), "record", "--json"]


def _holds(folder: Path, ended: Ended, before: set[str]) -> None:
    """The command failed with a clear line or kept everything; afterwards all works again without repair."""
    if ended.code == 0:
        assert names(folder) == before | NEW
    else:
        clear_line(ended)
        assert not has_state(folder, environ_of(folder)) or names(folder) >= before
    again = run(_record(folder), GIVEN)
    assert again.code == 0, again.err
    assert names(folder) == before | NEW
    assert leftovers(folder) == []


def _sweep(beginning: Path, syscall: str, error: str, numbers: Iterator[int] | range, before: set[str]) -> None:
    for number in numbers:
        folder = adopt(shutil.copytree(beginning, beginning.with_name(f"{syscall}-{number}")))
        ended = run(injected(_record(folder), syscall, f"error={error}", number), GIVEN)
        try:
            _holds(folder, ended, before)
        except AssertionError as failure:
            failure.add_note(f"{error} at {syscall} number {number}: {ended}")
            raise
        shutil.rmtree(folder)
        if ended.code == 0 and number >= 12:
            break


@pytest.mark.parametrize(("syscall", "error"), [("pwrite64", "ENOSPC"), ("fdatasync", "EIO"), ("write", "ENOSPC")])
def test_a_failing_disk_gives_one_line_and_no_acknowledgement(syscall: str, error: str, old: Path) -> None:
    need_strace()
    _sweep(old, syscall, error, range(9, 10) if syscall == "pwrite64" else range(1, 2), OLD)


@pytest.mark.slow
@pytest.mark.parametrize("error", ["ENOSPC", "EIO"])
@pytest.mark.parametrize("syscall", CALLS)
def test_a_disk_that_fails_at_any_moment_gives_one_line_and_no_acknowledgement(
    syscall: str, error: str, old: Path
) -> None:
    need_strace()
    _sweep(old, syscall, error, count(1), OLD)


@pytest.mark.slow
@pytest.mark.parametrize("error", ["ENOSPC", "EIO"])
@pytest.mark.parametrize("syscall", CALLS)
def test_a_workspace_that_could_not_be_made_is_made_the_next_time(syscall: str, error: str, tmp_path: Path) -> None:
    need_strace()
    beginning = tmp_path / "empty"
    beginning.mkdir()
    _sweep(beginning, syscall, error, chain(range(1, 20), count(20, 9)), set())


@pytest.mark.parametrize(("syscall", "error", "when"), [("pwrite64", "ENOSPC", "12+"), ("fdatasync", "EIO", "1+")])
def test_finish_says_refused_and_never_raises_on_a_failing_disk(syscall: str, error: str, when: str, old: Path) -> None:
    need_strace()
    ended = run(injected(worker("record", old, "new", 4), syscall, f"error={error}", when))
    assert "Traceback" not in ended.err, ended.err
    assert OLD | set(ended.acknowledged) <= names(old)
    assert run(worker("record", old, "new", 4)).acknowledged == [f"new-{index}" for index in range(4)]
    assert len(listed(old)) == 7


def test_a_read_error_is_named_as_such(old: Path) -> None:
    need_strace()
    database = state_of(old) / "metier.db"
    for number in (2, 6):
        ended = run(injected([METIER, "-w", str(old), "runs", "list"], "pread64", "error=EIO", number, database))
        if ended.code:
            clear_line(ended)
            assert "disk" in ended.err, ended.err
    assert names(old) == OLD


FILES = [pytest.param(f"metier.db{end}", marks=pytest.mark.slow) for end in ("", "-wal", "-shm")]
FILES += [pytest.param(file, marks=pytest.mark.slow) for file in ("redact.key", "identity.key", "workspace", "project")]


@pytest.mark.parametrize("file", ["lock", *FILES])
def test_too_many_open_files_is_one_clear_line(file: str, old: Path) -> None:
    need_strace()
    place = home_of(old) / "user" if file.endswith(".key") else state_of(old)
    ended = run(injected(_record(old), "openat", "error=EMFILE", "1+", place / file), GIVEN)
    _holds(old, ended, OLD)
    assert ended.code != 0 or file in ("workspace", "metier.db-shm"), "recorded without its files"


@pytest.mark.parametrize("free", [0, 3])
def test_finish_never_raises_when_no_file_can_be_opened(free: int, old: Path) -> None:
    ended = run(worker("starve", old, free))
    assert ended.code == 0, ended.err
    assert "fed-0" in ended.acknowledged
    assert names(old) == OLD | set(ended.acknowledged)


@pytest.mark.parametrize("limit", [20_000, *(pytest.param(size, marks=pytest.mark.slow) for size in (0, 100_000))])
def test_a_limit_on_file_size_is_one_clear_line(limit: int, old: Path) -> None:
    code = "import os, resource, sys; n = int(sys.argv[1]); resource.setrlimit(resource.RLIMIT_FSIZE, (n, n)); "
    limited = [sys.executable, "-c", code + "os.execv(sys.argv[2], sys.argv[2:])", str(limit)]
    large = json.dumps({"id": "large", "message": "x" * 300_000})
    clear_line(run([*limited, *_record(old)], large))
    assert names(old) == OLD
    assert metier(old, "record", given=large).code == 0
    assert names(old) == OLD | {"large"}


@pytest.mark.parametrize("words", [("runs", "list", "--json"), ("record", "--json")])
def test_a_full_disk_behind_stdout_is_one_clear_line(words: tuple[str, ...], old: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        command = [METIER, "-w", str(old), *words]
        done = subprocess.run(command, input=GIVEN.encode(), stdout=full, stderr=subprocess.PIPE, timeout=60)
    clear_line(Ended(code=done.returncode, out="", err=done.stderr.decode()))


def test_a_read_only_folder_can_be_read_and_says_why_it_cannot_be_written(mounted: Path) -> None:
    assert run(worker("record", mounted, "old", 3)).code == 0
    spool(mounted, {"id": "hook-0", "message": "waits"})
    subprocess.run(["mount", "-o", "remount,ro", str(mounted)], check=True, timeout=60)
    clear_line(run(_record(mounted), GIVEN))
    assert names(mounted) == OLD, "reading needs no writing, whatever waits in the spool"
    assert spool(mounted, {"id": "hook-1", "message": "x"}).code == 0
    subprocess.run(["mount", "-o", "remount,rw", str(mounted)], check=True, timeout=60)
    assert run(_record(mounted), GIVEN).code == 0
    assert names(mounted) == OLD | NEW | {"hook-0"}


@pytest.mark.slow
@pytest.mark.parametrize("waiting", [False, True], ids=["", "a file waits in the spool"])
def test_a_full_disk_keeps_what_was_acknowledged_readable(waiting: bool, mounted: Path) -> None:
    kept: list[str] = []
    ended = Ended(code=0, out="", err="")
    for number in range(40):
        given = json.dumps({"id": f"big-{number}", "message": "y" * 200_000})
        ended = run(_record(mounted), given)
        if ended.code:
            break
        kept.append(f"big-{number}")
    clear_line(ended)
    assert kept
    if waiting:
        entry = {"kind": "run", "run": {"id": "hook-0", "message": "z" * 400_000}, "v": 1}
        subprocess.run(["mount", "-o", "remount,size=4m", str(mounted)], check=True, timeout=60)
        (state_of(mounted) / "spool" / "00000000000000000001-1-aa.json").write_text(json.dumps(entry))
        subprocess.run(["dd", "if=/dev/zero", f"of={mounted / 'ballast'}", "bs=4096"], capture_output=True, timeout=60)
    assert names(mounted) == set(kept), "earlier runs can be read on a full disk"
    subprocess.run(["mount", "-o", "remount,size=30m", str(mounted)], check=True, timeout=60)
    (mounted / "ballast").unlink(missing_ok=True)
    assert run(_record(mounted), GIVEN).code == 0
    assert names(mounted) == set(kept) | NEW | ({"hook-0"} if waiting else set())


def test_a_hook_on_a_full_disk_leaves_no_half_file(mounted: Path) -> None:
    assert run(worker("record", mounted, "old", 3)).code == 0
    entry = {"id": "hook-0", "message": "z" * 4_000_000}
    assert spool(mounted, entry).code == 0
    assert not list((state_of(mounted) / "spool").glob("*.json*"))
    subprocess.run(["mount", "-o", "remount,size=30m", str(mounted)], check=True, timeout=60)
    assert spool(mounted, entry).code == 0
    assert names(mounted) == OLD | {"hook-0"}


@pytest.mark.slow
def test_the_log_is_folded_once_in_a_while_and_not_for_every_run(old: Path, tmp_path: Path) -> None:
    need_strace()
    trace = tmp_path / "trace"
    ended = run(["strace", "-f", "-qq", "-o", str(trace), "-e", "trace=fdatasync", "--", *worker("fill", old)])
    assert ended.code == 0, ended.err
    assert len(ended.acknowledged) == 40
    assert trace.read_text().count("fdatasync(") < 100 + 30
