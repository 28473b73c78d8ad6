"""Skills on a disk, a limit or a folder that says no: one clear line, nothing changed, and no repair afterwards."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import library_worker
import pytest
from library_worker import NAMES, ROOT, live, package, version_store_of
from sweep import METIER, Ended, adopt, clear_line, injected, need_root, need_strace, run, state_of

if TYPE_CHECKING:
    from collections.abc import Iterator

OLD = {name: package(name, "old").hash() for name in NAMES}
VERBS = ("restore", "rollback", "history", "show", "pin")
STORE = ("pwrite64", "fdatasync")
"""Calls by which the database is written: they come when the skill has changed already."""
PATCH = json.dumps({"reasoning": "a test", "edits": [{"op": "append", "content": "One line more."}]})


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A workspace with three skills that were looked at."""
    folder = tmp_path / "old"
    (folder / "home").mkdir(parents=True)
    library_worker.put(str(folder), "old", *NAMES)
    library_worker.look(str(folder))
    return folder


def _metier(folder: Path, *words: str) -> list[str]:
    return [METIER, "-w", str(folder), "skills", *words]


def _run(folder: Path, command: list[str], given: str = "") -> Ended:
    return run(command, given, HOME=str(folder / "home"))


def _edit(folder: Path) -> list[str]:
    return _metier(folder, "edit", str(folder / ROOT / "deploy" / "SKILL.md"), "--patch", "-", "--json")


def _hashes(folder: Path) -> dict[str, str]:
    return {name: live(folder, name) for name in NAMES}


def _is_unchanged(folder: Path, ended: Ended, *, noted: bool = False) -> None:
    """One clear line and the same bytes; no version more, but where it had been noted and was taken back."""
    clear_line(ended)
    assert _hashes(folder) == OLD, "something changed"
    versions = version_store_of(folder).histories.history_of(ROOT, "deploy").versions
    if noted and len(versions) > 1:
        assert [one.action for one in versions] == ["apply", "edit", "rollback"]
        versions = versions[::2]
    assert {one.hash for one in versions} == {OLD["deploy"]}


def _is_done_unsaid(folder: Path, ended: Ended) -> None:
    """The change is made, only its result could not be printed: the line does not say otherwise."""
    clear_line(ended)
    assert "Nothing was changed" not in ended.err
    assert _hashes(folder) != OLD
    assert [one.action for one in version_store_of(folder).histories.history_of(ROOT, "deploy").versions] == [
        "apply",
        "edit",
    ]


def _works_again(folder: Path, verb: tuple[str, ...] = ("archive", "deploy")) -> None:
    again = _run(folder, _metier(folder, *verb))
    assert again.code == 0, again.err
    store = version_store_of(folder)
    assert not list(store.journal.iterdir())
    assert not [file for file in store.staging.iterdir() if not file.name.startswith("old-")]
    for version in store.histories.all_versions():
        assert store.objects.load(version.files).hash() == version.hash


def _sweep(old: Path, syscall: str, error: str, numbers: Iterator[int] | range) -> None:
    """Let the K-th call fail in an edit; a call too few is the end."""
    for number in numbers:
        folder = adopt(shutil.copytree(old, old.with_name(f"{syscall}-{number}")))
        trace = old.with_name("trace")
        command = injected(_edit(folder), syscall, f"error={error}", number)
        ended = _run(folder, [str(trace) if word == os.devnull else word for word in command], PATCH)
        try:
            if _was_printing(trace):
                _is_done_unsaid(folder, ended)
            elif ended.code:
                _is_unchanged(folder, ended, noted=syscall in STORE)
            else:
                assert _hashes(folder) != OLD
            _works_again(folder)
        except AssertionError as failure:
            failure.add_note(f"{error} at {syscall} number {number}: {ended}")
            raise
        shutil.rmtree(folder)
        if ended.code == 0 and number > 15:
            break


def _was_printing(trace: Path) -> bool:
    """Whether the call that failed was one that prints to the standard output."""
    return re.search(r"^\d+ +write\(1, .*INJECTED", trace.read_text(errors="replace"), re.MULTILINE) is not None


@pytest.mark.parametrize(("syscall", "error", "number"), [("write", "ENOSPC", 6)])
def test_an_edit_on_a_failing_disk_is_one_clear_line(syscall: str, error: str, number: int, old: Path) -> None:
    need_strace()
    _sweep(old, syscall, error, range(number, number + 1))


@pytest.mark.slow
@pytest.mark.parametrize("error", ["ENOSPC", "EIO"])
@pytest.mark.parametrize("syscall", ["write", "fsync", "mkdir", "mkdirat", *STORE])
def test_an_edit_on_a_disk_that_fails_at_any_moment_is_one_clear_line(syscall: str, error: str, old: Path) -> None:
    need_strace()
    _sweep(old, syscall, error, count(1))


def test_a_change_that_the_full_store_cannot_note_and_nobody_can_take_back_is_not_denied(old: Path) -> None:
    need_strace()
    rules = ["-e", "trace=pwrite64,renameat2", "-e", "inject=pwrite64:error=ENOSPC:when=9+", "-e", "signal=none"]
    rules += ["-e", "inject=renameat2:error=ENOSPC:when=2+"]
    ended = _run(old, ["strace", "-f", "-qq", "--seccomp-bpf", "-o", os.devnull, *rules, "--", *_edit(old)], PATCH)
    _is_done_unsaid(old, ended)
    assert "stays changed" in ended.err
    assert "deploy v2" in ended.err
    _works_again(old)


def test_an_exchange_that_is_refused_is_one_clear_line(old: Path) -> None:
    need_strace()
    _is_unchanged(old, _run(old, injected(_edit(old), "renameat2", "error=EROFS", "1+"), PATCH))
    _works_again(old)


def test_a_system_that_cannot_exchange_two_names_does_it_in_three_steps(old: Path) -> None:
    need_strace()
    ended = _run(old, injected(_edit(old), "renameat2", "error=ENOSYS", "1+"), PATCH)
    assert ended.code == 0, ended.err
    assert (old / ROOT / "deploy" / "SKILL.md").read_text().endswith("One line more.\n")
    _works_again(old)


def test_a_root_that_cannot_be_written_is_one_clear_line_and_can_be_listed(old: Path) -> None:
    need_root()
    root = old / ROOT
    for command in (["mount", "--bind", str(root), str(root)], ["mount", "-o", "remount,bind,ro", str(root)]):
        if subprocess.run(command, capture_output=True, timeout=60).returncode:
            pytest.skip("nothing can be mounted here")
    try:
        for verb in (("archive", "deploy"), ("rollback", "deploy")):
            _is_unchanged(old, _run(old, _metier(old, *verb)))
        _is_unchanged(old, _run(old, _edit(old), PATCH))
        listed = _run(old, _metier(old, "list", "--json"))
        assert {row["name"] for row in json.loads(listed.out)} == set(NAMES)
    finally:
        subprocess.run(["umount", str(root)], check=True, timeout=60)
    _works_again(old)


def test_a_state_folder_that_cannot_be_written_is_one_clear_line(old: Path) -> None:
    need_root()
    state = state_of(old)
    for command in (["mount", "--bind", str(state), str(state)], ["mount", "-o", "remount,bind,ro", str(state)]):
        if subprocess.run(command, capture_output=True, timeout=60).returncode:
            pytest.skip("nothing can be mounted here")
    try:
        _is_unchanged(old, _run(old, _metier(old, "archive", "deploy")))
        _is_unchanged(old, _run(old, _edit(old), PATCH))
        listed = _run(old, _metier(old, "list", "--json"))
        assert {row["name"] for row in json.loads(listed.out)} == set(NAMES)
        told = _run(old, _metier(old, "history", "deploy", "--json"))
        assert [row["hash"] for row in json.loads(told.out)] == [OLD["deploy"]]
    finally:
        subprocess.run(["umount", str(state)], check=True, timeout=60)
    _works_again(old)


@pytest.mark.parametrize(
    "folder",
    ["library.lock", *(pytest.param(one, marks=pytest.mark.slow) for one in ("journal", "staging", "versions/deploy"))],
)
def test_too_many_open_files_is_one_clear_line(folder: str, old: Path) -> None:
    need_strace()
    command = injected(_edit(old), "openat", "error=EMFILE", "1+", state_of(old) / folder)
    _is_unchanged(old, _run(old, command, PATCH))
    _works_again(old)


HOSTILE = ("../../escape", "/etc", "x" * 300, "deploy/../../../x", "..")


@pytest.mark.parametrize("verb", ["archive", *(pytest.param(one, marks=pytest.mark.slow) for one in VERBS)])
def test_a_hostile_name_is_one_clear_line_and_makes_nothing(verb: str, old: Path) -> None:
    before = sorted(str(file) for file in old.rglob("*") if "metier.db" not in file.name)
    for name in HOSTILE:
        clear_line(_run(old, _metier(old, verb, "--", name)))
    after = sorted(str(file) for file in old.rglob("*") if "metier.db" not in file.name)
    assert after == before
    assert _hashes(old) == OLD


def test_a_package_that_is_a_link_is_listed_and_never_written(old: Path) -> None:
    canary = old / "canary"
    shutil.copytree(old / ROOT / "deploy", canary)
    (old / ROOT / "linked").symlink_to(canary)
    before = {file: file.read_bytes() for file in canary.rglob("*") if file.is_file()}
    rows = {row["name"]: row for row in json.loads(_run(old, _metier(old, "list", "--json")).out)}
    assert rows["linked"]["hash"] == OLD["deploy"]
    for words in (("archive", "linked"), ("pin", "linked")):
        clear_line(_run(old, _metier(old, *words)))
    assert {file: file.read_bytes() for file in before} == before, "written through the link"
    assert (old / ROOT / "linked").is_symlink()


def test_a_folder_whose_name_is_no_text_hides_no_other_skill(old: Path) -> None:
    odd = os.fsencode(old / ROOT) + b"/\xff\xfe"
    os.mkdir(odd)
    Path(os.fsdecode(odd), "SKILL.md").write_bytes(package("odd", "x").document)
    (old / ROOT / "SKILL.md").write_bytes(b"a stray file in the root itself")
    listed = _run(old, _metier(old, "list", "--json"))
    assert listed.code == 0, listed.err
    assert {row["name"] for row in json.loads(listed.out)} == set(NAMES)
