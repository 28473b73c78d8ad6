"""SIGKILL at the K-th system call of whatever changes skills: each is old or new, no batch mixed, nothing lost."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import library_worker
import pytest
from library_worker import NAMES, live, package, version_store_of
from sweep import METIER, SYSCALLS, Ended, adopt, injected, need_strace, run, state_of

from metier.library.versions.history import VersionEntry, read_entry

if TYPE_CHECKING:
    from collections.abc import Callable

CALLS = (*SYSCALLS, "symlink", "symlinkat", "fchmod")
WORKER = (sys.executable, str(Path(library_worker.__file__)))
OLD, NEW = ({name: package(name, text).hash() for name in NAMES} for text in ("old", "new"))


def _worker(verb: str, folder: Path, *words: str) -> list[str]:
    return [*WORKER, verb, str(folder), *words]


def _do(verb: str, folder: Path, *words: str) -> None:
    """The same in this process."""
    library_worker.VERBS[verb](str(folder), *words)


def _old(folder: Path) -> None:
    (folder / "home").mkdir()
    _do("put", folder, "old", *NAMES)
    _do("look", folder)


def _changed(folder: Path) -> None:
    _old(folder)
    _do("put", folder, "new", *NAMES)


def _archived(folder: Path) -> None:
    _old(folder)
    _do("do", folder, "archive", "deploy")


def _by_hand(folder: Path) -> None:
    (folder / "home").mkdir()
    library_worker.opened(str(folder)).close()
    for name in NAMES:
        for path, content in package(name, "old").files.items():
            file = folder / library_worker.ROOT / name / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
            file.chmod(0o755 if path == "scripts/run" else 0o644)


def _rubbish(folder: Path) -> None:
    """Two versions, bytes that nobody names, a folder that was live long ago, one that a killed process left."""
    _changed(folder)
    state = state_of(folder)
    (state / "objects" / ("0" * 64)).write_bytes(b"x")
    for name in ("old-00000000000000000001-ab", "new-ab"):
        (state / "staging" / name / "deep").mkdir(parents=True)
        (state / "staging" / name / "deep" / "file").write_bytes(b"x")


@dataclass(frozen=True, kw_only=True)
class Tale:
    """A command, the state it meets, and the hashes that may be there before and after it."""

    begin: Callable[[Path], None]
    words: tuple[str, ...]
    before: dict[str, str]
    after: dict[str, str]
    versions: dict[str, int] = field(default_factory=lambda: dict.fromkeys(NAMES, 2))
    """How many each skill has in the end."""

    def command(self, folder: Path) -> list[str]:
        return _worker(self.words[0], folder, *self.words[1:])


ONE = {"build": 1, "deploy": 2, "test": 1}
TALES = {
    "edit": Tale(
        begin=_old,
        words=("put", "new", "deploy"),
        before=OLD,
        after=OLD | {"deploy": NEW["deploy"]},
        versions=ONE,
    ),
    "batch": Tale(begin=_old, words=("put", "new", *NAMES), before=OLD, after=NEW),
    "rollback": Tale(
        begin=_changed,
        words=("do", "rollback", "deploy", "1"),
        before=NEW,
        after=NEW | {"deploy": OLD["deploy"]},
        versions={"build": 2, "deploy": 3, "test": 2},
    ),
    "archive": Tale(
        begin=_old, words=("do", "archive", "deploy"), before=OLD, after=OLD | {"deploy": ""}, versions=ONE
    ),
    "restore": Tale(
        begin=_archived,
        words=("do", "restore", "deploy"),
        before=OLD | {"deploy": ""},
        after=OLD,
        versions={"build": 1, "deploy": 3, "test": 1},
    ),
    "first look": Tale(begin=_by_hand, words=("look",), before=OLD, after=OLD, versions=dict.fromkeys(NAMES, 1)),
    "gc": Tale(begin=_rubbish, words=("collect",), before=NEW, after=NEW),
}
SAMPLED = {
    "edit": [("renameat2", 1), ("rename", 3)],
    "batch": [("fsync", 20), ("renameat2", 2)],
    "rollback": [("renameat2", 1)],
    "archive": [("renameat2", 1)],
    "restore": [("renameat2", 1), ("mkdirat", 2)],
    "first look": [("rename", 4)],
    "gc": [("unlink", 1)],
}
"""Kill points of the default suite."""


@pytest.fixture(params=TALES.values(), ids=TALES.keys())
def tale(request: pytest.FixtureRequest) -> Tale:
    need_strace()
    return request.param


@pytest.fixture
def beginning(tale: Tale, tmp_path: Path) -> Path:
    folder = tmp_path / "beginning"
    folder.mkdir()
    tale.begin(folder)
    return folder


def _copy(tale: Tale, beginning: Path, folder: Path) -> Path:
    """The beginning in a place of its own, looked at unless that is the tale."""
    adopt(shutil.copytree(beginning, folder))
    if tale.words[0] != "look":
        _do("look", folder)
    return folder


def _calls(tale: Tale, beginning: Path, tmp_path: Path) -> list[tuple[str, int]]:
    folder = _copy(tale, beginning, tmp_path / "undisturbed")
    trace = tmp_path / "trace"
    traced = ["strace", "-f", "-qq", "--seccomp-bpf", "-o", str(trace), "-e", "signal=none"]
    done = run([*traced, "-e", f"trace={','.join(f'?{name}' for name in CALLS)}", "--", *tale.command(folder)])
    assert done.code == 0, done.err
    seen: Counter[str] = Counter()
    found: list[tuple[str, int]] = []
    for call in re.findall(r"^\d+ +(\w+)\(", trace.read_text(errors="replace"), re.MULTILINE):
        seen[call] += 1
        found.append((call, seen[call]))
    assert len(found) > 10
    return found


def test_a_kill_here_and_there_leaves_no_skill_mixed(
    tale: Tale, beginning: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    for syscall, number in SAMPLED[request.node.callspec.id]:
        folder = _copy(tale, beginning, tmp_path / f"{syscall}-{number}")
        assert _kill(tale, folder, syscall, number).killed, f"{syscall} {number} was not reached"
    if tale.words[0] == "put":
        _check_commands(folder, tale)


@pytest.mark.slow
def test_a_kill_at_every_system_call_leaves_no_skill_mixed(tale: Tale, beginning: Path, tmp_path: Path) -> None:
    for index, (syscall, number) in enumerate(_calls(tale, beginning, tmp_path)):
        folder = _copy(tale, beginning, tmp_path / str(index))
        _kill(tale, folder, syscall, number)
        if index % 10 == 0:
            _check_commands(folder, tale)
        shutil.rmtree(folder)


def _kill(tale: Tale, folder: Path, syscall: str, number: int) -> Ended:
    """Kill the command at one call, look at once, run it again, look again."""
    ended = run(injected(tale.command(folder), syscall, "signal=SIGKILL", number))
    try:
        assert ended.killed or ended.code == 0, ended.err
        for name, found in _live(folder).items():
            assert found in (tale.before[name], tale.after[name]), f"{name} is torn"
        if ended.acknowledged:
            assert _live(folder) == tale.after
        _do(tale.words[0], folder, *tale.words[1:])
        _check_end(folder, tale)
    except AssertionError as error:
        error.add_note(f"{tale.words}, killed at {syscall} number {number}")
        raise
    return ended


def _live(folder: Path) -> dict[str, str]:
    return {name: live(folder, name) for name in NAMES}


def _check_end(folder: Path, tale: Tale) -> None:
    """The command did what it does, once, and nothing is left over; every version has all its bytes."""
    assert _live(folder) == tale.after
    store = version_store_of(folder)
    assert not list(store.journal.iterdir())
    assert not [file.name for file in store.staging.iterdir() if not file.name.startswith("old-")]
    counts: dict[str, int] = {}
    for place in store.histories.folder.iterdir():
        for file in place.iterdir():
            found = read_entry(file)
            assert isinstance(found, VersionEntry), found
            assert store.objects.load(found.version.files).hash() == found.version.hash
            counts[found.version.skill] = counts.get(found.version.skill, 0) + 1
    assert counts == tale.versions, "every version once"


def _metier(folder: Path, *words: str) -> Ended:
    return run([METIER, "-w", str(folder), *words], HOME=str(folder / "home"))


def _check_commands(folder: Path, tale: Tale) -> None:
    """The commands a person types work, whatever happened before."""
    listed = _metier(folder, "skills", "list", "--json")
    assert listed.code == 0, listed.err
    rows = {row["name"]: row for row in json.loads(listed.out) if row["root"].startswith(str(folder))}
    assert rows.keys() == set(NAMES)
    for name in NAMES:
        assert (rows[name]["status"] == "archived") == (tale.after[name] == "")
        told = _metier(folder, "skills", "history", name, "--json")
        assert told.code == 0, told.err
        assert len(json.loads(told.out)) == tale.versions[name]
