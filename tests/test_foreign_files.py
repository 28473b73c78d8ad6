"""Files that others wrote are plain, where they belong and bounded, or they are left alone with a reason."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metier.errors import UnreadableError
from metier.foreign_files import BLOCK, read_foreign

if TYPE_CHECKING:
    from collections.abc import Callable


def refusal(path: Path | str, origin: Path, limit: int = 1000, seconds: float = 5) -> UnreadableError:
    with pytest.raises(UnreadableError) as caught, read_foreign(path, origin, limit, seconds) as file:
        file.read()
    return caught.value


def pipe(file: Path) -> None:
    os.mkfifo(file)


def listening(file: Path) -> None:
    with socket.socket(socket.AF_UNIX) as one:
        here = Path.cwd()
        os.chdir(file.parent)  # a socket's path is short
        one.bind(file.name)
        os.chdir(here)


def sparse(file: Path) -> None:
    with file.open("wb") as out:
        out.truncate(10**12)


KINDS: dict[str, tuple[Callable[[Path], object], str]] = {
    "folder": (Path.mkdir, "it is a folder"),
    "pipe": (pipe, "it is not a plain file"),
    "socket": (listening, "No such device or address"),
    "huge": (sparse, "it has more than 1,000 bytes"),
    "a byte too much": (lambda file: file.write_bytes(b"x" * 1001), "it has more than 1,000 bytes"),
    "link out": (lambda file: file.symlink_to("/etc/hostname"), "it is outside of "),
    "link to a device": (lambda file: file.symlink_to("/dev/zero"), "it is outside of "),
    "link to itself": (lambda file: file.symlink_to(file), "Too many levels of symbolic links"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_plain_file_in_its_place_is_left_alone_for_good(kind: str, tmp_path: Path) -> None:
    make, reason = KINDS[kind]
    make(tmp_path / "f")
    said = refusal(tmp_path / "f", tmp_path)
    assert (said.reason.startswith(reason), said.state) == (True, "refused")


@pytest.mark.parametrize("path", ["/dev/zero", "/dev/tty", "/proc/kmsg", "/proc/self/mem"])
def test_devices_and_windows_into_the_kernel_are_never_waited_for(path: str) -> None:
    try:
        with read_foreign(path, "/", 1000, 5) as file:
            assert file.read() == b""  # such a file says that it has no bytes
    except UnreadableError:
        pass


def test_a_file_that_is_not_there_may_come(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert refusal(tmp_path / "f", tmp_path).state == "gone"
    assert refusal(tmp_path / "file" / "f", tmp_path).state == "gone"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_this_user_may_not_read_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "f").touch(mode=0)
    assert refusal(tmp_path / "f", tmp_path).reason == "Permission denied"


@given(name=st.text(max_size=20))
def test_no_name_is_anything_but_a_file_or_a_refusal(name: str) -> None:
    with pytest.raises(UnreadableError) as caught:
        read_foreign(f"/nowhere/{name}", "/nowhere", 1000, 5)
    assert str(caught.value).isprintable()


def test_links_within_the_folder_and_a_folder_that_is_a_link_are_fine(tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    (real / "AGENTS.md").write_text("Use uv.")
    (real / "CLAUDE.md").symlink_to("AGENTS.md")
    (tmp_path / "project").symlink_to(real)
    with read_foreign(tmp_path / "project" / "CLAUDE.md", tmp_path / "project", 1000, 5) as file:
        assert file.read() == b"Use uv."
    with read_foreign(real / "CLAUDE.md", (tmp_path / "elsewhere", real), 1000, 5) as file:
        assert file.read(3) == b"Use"


def test_a_folder_whose_name_begins_the_same_is_another_folder(tmp_path: Path) -> None:
    (tmp_path / "shop-2").mkdir()
    (tmp_path / "shop-2" / "f").touch()
    assert "outside" in refusal(tmp_path / "shop-2" / "f", tmp_path / "shop").reason


def test_a_file_that_grows_meanwhile_is_read_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "f"
    file.write_bytes(b"line\n" * 10)
    with read_foreign(file, tmp_path, 1000, 5) as stream, file.open("ab") as out:
        seen = []
        for line in stream:
            seen.append(line)
            out.write(b"more\n")
            out.flush()
        assert (seen, stream.size) == ([b"line\n"] * 10, 50)
        stream.seek(45)
        assert (stream.read(), stream.read()) == (b"line\n", b"")
        stream.seek(0)
        assert len(stream.read(1000)) == 50
        stream.seek(100)
        assert stream.read() == b""


def test_a_file_that_shrinks_meanwhile_ends_earlier(tmp_path: Path) -> None:
    file = tmp_path / "f"
    file.write_bytes(b"x" * 3 * BLOCK)
    with read_foreign(file, tmp_path, 10 * BLOCK, 5) as stream:
        stream.read(10)
        os.truncate(file, 100)
        assert len(stream.read()) < 2 * BLOCK


def test_a_large_file_is_streamed(tmp_path: Path) -> None:
    file = tmp_path / "f"
    with file.open("wb") as out:
        out.truncate(200 * 2**20)
    tracemalloc.start()
    with read_foreign(file, tmp_path, 2**30, 60) as stream:
        assert sum(len(block) for block in iter(lambda: stream.read(2**20), b"")) == 200 * 2**20
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10 * 2**20


def test_reading_ends_when_its_time_is_over(tmp_path: Path) -> None:
    file = tmp_path / "f"
    file.write_bytes(b"x")
    said = refusal(file, tmp_path, seconds=0)
    assert (said.reason, said.state) == ("reading it takes too long", "busy")


def test_nothing_stays_open(tmp_path: Path) -> None:
    (tmp_path / "f").mkdir()
    before = len(os.listdir("/dev/fd"))
    for _ in range(5):
        refusal(tmp_path / "f", tmp_path)
    assert len(os.listdir("/dev/fd")) == before


def test_a_relative_path_belongs_to_no_folder_by_chance(tmp_path: Path) -> None:
    code = "from metier.foreign_files import read_foreign; read_foreign('f', '/srv', 10, 5)"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert "it is outside of /srv" in done.stderr
