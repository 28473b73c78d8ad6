"""Linux and macOS: a call that only one system has is known, and the code goes on where it is missing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from metier.library.disk.atomic_files import start_flush

ROOT = Path(__file__).parent.parent
ONLY_ONE_SYSTEM = re.compile(
    r"/proc\b|\bsync_file_range\b|\brenameat2\b|\brenameatx_np\b|\binotify\w*|\bprctl\b|\bpidfd_\w+|\bmemfd_\w+|"
    r"\bsched_\w+|\bposix_fadvise\b|\bposix_fallocate\b|\bO_TMPFILE\b|\bO_PATH\b|\bO_DIRECT\b|\bfdatasync\b|\bsendfile\b|"
    r"\bsplice\b|\bgetrandom\b|/dev/shm|/etc/machine-id|\bxattr\b|\bkqueue\b|\bepoll\b|\bF_FULLFSYNC\b"
)
KNOWN = {
    "context/seen_agents.py /proc": "the programs above this one; without it `ps` lists them",
    "folders.py O_PATH": "opens a folder on the way; without it for reading",
    "library/disk/atomic_files.py sync_file_range": "a hint to begin writing; without it fsync alone does the work",
    "library/disk/slot.py renameat2": "exchange at once; where it is missing, two renames and a journal",
    "library/disk/slot.py renameatx_np": "the same call on macOS",
    "store/engines/file_place.py /proc": "tells network file systems; without it they are not recognised",
    "processes.py /proc": "finds processes that left their group; without it the group is ended",
}
"""Where such a call is, and what happens without it."""


def calls_in(file: Path) -> set[str]:
    text = re.sub(r'"""(?s:.*?)"""|^\s*#.*$', "", file.read_text("utf-8"), flags=re.MULTILINE)
    return set(ONLY_ONE_SYSTEM.findall(text))


def test_every_call_that_only_one_system_has_is_known_with_what_happens_without_it() -> None:
    source = ROOT / "src" / "metier"
    found = {f"{file.relative_to(source)} {call}" for file in source.rglob("*.py") for call in calls_in(file)}
    assert found == KNOWN.keys()


def test_nothing_asks_for_linux_by_name() -> None:
    asked = re.compile(r"sys\.platform\s*[!=]=\s*[\"'](linux|win)|platform\.system\(\)\s*==")
    files = [file for file in (ROOT / "src/metier").rglob("*.py") if asked.search(file.read_text("utf-8"))]
    assert files == []


def test_the_hint_to_begin_writing_is_left_out_where_it_says_nothing(tmp_path: Path) -> None:
    with (tmp_path / "one").open("wb") as one:
        start_flush([one.fileno()])  # the way that is taken on macOS, too: no call, no error


@pytest.mark.parametrize("page", ["README.md", "docs/start.md"])
def test_people_are_told_which_systems_there_are(page: str) -> None:
    assert "Linux or macOS" in (ROOT / page).read_text("utf-8")


def test_windows_is_told_plainly() -> None:
    assert "Windows is not supported" in (ROOT / "README.md").read_text("utf-8")
