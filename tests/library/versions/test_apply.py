"""Apply: all changes or none, each a version, nobody's bytes lost, no link followed."""

from __future__ import annotations

import os
import resource
import unicodedata
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from errno import EACCES, EDQUOT, EIO, EMFILE, ENOSPC
from itertools import count
from typing import TYPE_CHECKING

import pytest
from crash import CHANGING, failing
from shelves import Bench, in_memory, leftovers, on_another_disk, package

from metier.errors import ConflictError, RefusedError, StoreError
from metier.library.disk.packages import read_package
from metier.library.versions.apply import apply_changes
from metier.library.versions.history import folder_name
from metier.library.versions.version_store import BESIDE
from metier.skills.package import Package
from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with in_memory(tmp_path) as folder:
        yield Bench(folder=folder)


def test_every_apply_is_a_version_whose_bytes_can_be_had_again(bench: Bench) -> None:
    made = [bench.apply("deploy", package("deploy", text, run=text.encode())) for text in ("one", "two", "three")]
    assert [one.number for one in made] == [1, 2, 3]
    assert [one.parent for one in made] == ["", made[0].hash, made[1].hash]
    assert bench.versions("deploy") == tuple(made)
    assert [bench.bytes_of(one).files["scripts/run"] for one in made] == [b"one", b"two", b"three"]
    assert read_package(bench.root / "deploy") == bench.bytes_of(made[2])
    bench.check_whole()


def test_fifty_applies_in_one_instant_are_fifty_versions(bench: Bench) -> None:
    made = [bench.apply("deploy", package("deploy", str(index)), created="2026-01-01T00:00:00Z") for index in range(50)]
    assert [one.number for one in bench.versions("deploy")] == list(range(1, 51))
    assert [bench.bytes_of(one).hash() for one in bench.versions("deploy")] == [one.hash for one in made]
    bench.check_whole()


def test_a_clock_that_runs_backwards_changes_no_order(bench: Bench) -> None:
    days = count()
    with Workspace.open(
        bench.folder,
        environ={"HOME": str(bench.folder / "home")},
        clock=lambda: datetime(2026, 3, 1, tzinfo=UTC) - timedelta(days=next(days)),
    ) as ws:
        first, second = package("deploy"), package("deploy", "second")
        for base, wanted in (("", first), (first.hash(), second)):
            apply_changes(ws.library.version_store, [bench.change("deploy", wanted, base)])
        made = [ws.rollback("deploy") for _ in range(10)]
        kept = ws.history("deploy")
    assert [one.number for one in kept] == list(range(1, 13))
    assert kept[2:] == tuple(made)
    times = [one.created for one in made]
    assert times == sorted(times, reverse=True)
    assert bench.hash("deploy") == kept[-1].hash == kept[1].hash


def test_a_change_made_against_other_bytes_is_a_conflict(bench: Bench) -> None:
    first = bench.apply("deploy", package("deploy"))
    bench.apply("deploy", package("deploy", "second"))
    for base in (first.hash, "", "0" * 64):
        with pytest.raises(ConflictError):
            bench.apply("deploy", package("deploy", "third"), base)
    with pytest.raises(ConflictError, match="There is no skill"):
        bench.apply("other", package("other"), first.hash)
    assert len(bench.versions("deploy")) == 2
    bench.check_whole()


def test_one_conflict_in_a_batch_leaves_all_of_it_undone(bench: Bench) -> None:
    names = ("build", "deploy", "test")
    first = {name: bench.apply(name, package(name)) for name in names}
    changes = [bench.change(name, package(name, "second"), first[name].hash) for name in names[:2]]
    with pytest.raises(ConflictError):
        apply_changes(bench.version_store, [*changes, bench.change("test", package("test", "second"), "0" * 64)])
    assert [bench.hash(name) for name in names] == [first[name].hash for name in names]
    assert all(len(bench.versions(name)) == 1 for name in names)
    bench.check_whole()


def test_files_with_the_same_bytes_are_kept_once(bench: Bench) -> None:
    same = Package(files={"SKILL.md": b"x", "a/one.py": b"", "a/two.py": b"", "b/three.py": b""})
    changes = [bench.change(name, same) for name in ("build", "deploy", "test")]
    for version in apply_changes(bench.version_store, changes):
        assert bench.bytes_of(version) == same
    assert len(list(bench.version_store.objects.folder.iterdir())) == 2
    bench.check_whole()


def test_one_batch_changes_a_skill_once(bench: Bench) -> None:
    for other in ("deploy", "dep1oy"):
        with pytest.raises(RefusedError, match="Two changes are for"):
            apply_changes(
                bench.version_store,
                [bench.change("deploy", package("deploy")), bench.change(other, package("deploy", "x"))],
            )
    assert not bench.root.exists()


@pytest.fixture
def few_descriptors() -> Iterator[None]:
    """A limit that a process meets which keeps everything open."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (700, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.usefixtures("few_descriptors")
def test_a_package_of_many_files_and_folders_can_be_written(bench: Bench) -> None:
    files = {f"folder-{index}/deep/{index}.txt": b"%d" % index for index in range(800)}
    many = Package(files={"SKILL.md": b"x", **files})
    version = bench.apply("deploy", many)
    assert read_package(bench.root / "deploy") == many == bench.bytes_of(version)
    bench.check_whole()


@pytest.mark.usefixtures("few_descriptors")
def test_a_batch_of_many_skills_can_be_written(bench: Bench) -> None:
    changes = [bench.change(f"skill-{index}", package(f"skill-{index}", run=b"x")) for index in range(240)]
    assert len(apply_changes(bench.version_store, changes)) == 240
    bench.check_whole()


def test_bytes_and_modes_stay_as_they_are(bench: Bench) -> None:
    odd = {
        "SKILL.md": b"\xef\xbb\xbf---\r\nname: deploy\r\n---\r\n\ttab\r\n",
        "scripts/run": b"\x00\xff\n",
        "assets/empty": b"",
        "references/no newline": "\N{GRINNING FACE}".encode(),
        "references/private.md": b"secret",
    }
    before = Package(files=odd, executable=frozenset({"scripts/run"}))
    bench.apply("deploy", before)
    folder = bench.root / "deploy"
    for path, mode in {"SKILL.md": 0o600, "scripts/run": 0o775, "references/private.md": 0o640}.items():
        (folder / path).chmod(mode)
    (folder / "references").chmod(0o750)
    folder.chmod(0o711)
    bench.apply("deploy", before.with_files({"SKILL.md": b"new", "more.txt": b"x"}))
    assert read_package(folder).files == {**odd, "SKILL.md": b"new", "more.txt": b"x"}
    modes = {path: (folder / path).stat().st_mode & 0o777 for path in ("", "SKILL.md", "scripts/run", "references")}
    assert modes == {"": 0o711, "SKILL.md": 0o600, "scripts/run": 0o775, "references": 0o750}
    assert (folder / "references/private.md").stat().st_mode & 0o777 == 0o640
    bench.apply("deploy", Package(files=before.files, executable=frozenset({"SKILL.md"})))
    assert (folder / "SKILL.md").stat().st_mode & 0o777 == 0o700
    assert (folder / "scripts/run").stat().st_mode & 0o777 == 0o664


def test_what_a_person_did_since_the_last_look_becomes_a_version_before_it_is_replaced(bench: Bench) -> None:
    bench.apply("deploy", package("deploy"))
    (bench.root / "deploy" / "SKILL.md").write_bytes(b"by hand")
    bench.apply("deploy", package("deploy", "third"))
    kept = bench.versions("deploy")
    assert [(one.number, one.action) for one in kept] == [(1, "apply"), (2, "hand-edit"), (3, "apply")]
    assert bench.bytes_of(kept[1]).document == b"by hand"
    assert kept[2].parent == kept[1].hash
    bench.check_whole()


def test_an_archived_skill_comes_back_under_any_name_it_ever_had(bench: Bench) -> None:
    for name in ("group/deploy", "My_Skill", "Ünïcode", "a@b", "a/b", "100%", "x" * 250, f"{'y' * 120}/{'z' * 120}"):
        folder = bench.root / name
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_bytes(name.encode())
        before = read_package(folder)
        bench.apply(name, before.with_files({"new.md": b"x"}))
        bench.apply(name, before, action="archive", status="archived")
        assert not folder.exists()
        if "/" in name:
            folder.parent.rmdir()
        bench.apply(name, before, "", action="restore")
        assert read_package(folder) == before
        assert [one.number for one in bench.versions(name)] == [1, 2, 3, 4], name
    bench.check_whole()


def test_no_two_skills_share_a_history() -> None:
    roots = (".agents/skills", ".claude/skills", "/etc/skills")
    marks = [folder_name(root, "")[1:] for root in roots[1:]]
    odd = ("a/b", "a@b", "a%40b", "a%2Fb", "a%b", "a@@b", "a/@b", "a@/b", "x" * 201, "x" * 202, "%%", "%", "a")
    skills = (*odd, *(f"a{between}{mark}" for between in "@/%" for mark in marks))
    names = [folder_name(root, skill) for root in roots for skill in skills]
    assert len(set(names)) == len(names)
    assert all(len(os.fsencode(name)) < 250 and "/" not in name for name in names)


def test_histories_know_whose_they_are(bench: Bench) -> None:
    other = bench.folder / ".claude" / "skills"
    names = {"a/b", "a@b", "100%", "x" * 250, "deploy"}
    for root in (bench.root, other):
        for name in names:
            (root / name).mkdir(parents=True)
            (root / name / "SKILL.md").write_bytes(b"x")
            before = read_package(root / name)
            change = bench.change(name, before.with_files({"SKILL.md": b"y"}), before.hash())
            apply_changes(bench.version_store, [replace(change, root=root)])
    found = list(bench.version_store.histories.skills())
    assert len(found) == 2 * len(names)
    assert set(found) == {(root, name) for root in (".agents/skills", ".claude/skills") for name in names}


HOSTILE = (
    "../escape",
    "/absolute",
    "a/../../b",
    "..",
    ".",
    "",
    "nul",
    "a\0b",
    "x" * 300,
    "Deploy",
    "deploy ",
    "dеploy",
)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_new_skill_with_a_hostile_name_is_refused_and_nothing_is_made(name: str, bench: Bench) -> None:
    with pytest.raises(RefusedError):
        bench.apply(name, package("deploy"), "")
    assert not bench.root.exists()
    assert not list(bench.version_store.histories.folder.glob("*"))


@pytest.mark.parametrize("there", ["Deploy", "DEPLOY", "dep1oy", "dеploy", "deplo\u0301y", "deploy\u200b"])
def test_a_new_skill_that_looks_like_another_is_refused(there: str, bench: Bench) -> None:
    for form in {unicodedata.normalize("NFC", there), unicodedata.normalize("NFD", there)}:
        (bench.root / form).mkdir(parents=True)
    with pytest.raises(RefusedError, match="looks like"):
        bench.apply("deploy", package("deploy"), "")
    assert not (bench.root / "deploy").exists()


def test_a_link_in_a_skills_place_is_read_by_others_and_never_written(bench: Bench) -> None:
    top = bench.folder
    canary = top / "canary"
    canary.mkdir()
    (canary / "SKILL.md").write_bytes(b"canary")
    bench.root.mkdir(parents=True)
    (bench.root / "deploy").symlink_to(canary)
    (bench.root / "group").symlink_to(top)
    base = read_package(bench.root / "deploy").hash()
    for name in ("deploy", "group/canary"):
        with pytest.raises(RefusedError):
            bench.apply(name, package("deploy"), base)
        with pytest.raises(RefusedError):
            bench.apply(name, package("deploy"), base, status="archived")
    assert [file.name for file in canary.iterdir()] == ["SKILL.md"]
    assert (canary / "SKILL.md").read_bytes() == b"canary"


@pytest.mark.parametrize("link", [".agents", ".agents/skills"])
def test_a_root_that_became_a_link_is_not_written_through(link: str, bench: Bench) -> None:
    top = bench.folder
    bench.apply("deploy", package("deploy"))
    before = bench.hash("deploy")
    (top / link).rename(top / "canary")
    (top / link).symlink_to(top / "canary")
    with pytest.raises(RefusedError):
        bench.apply("deploy", package("deploy", "second"), before)
    assert bench.hash("deploy") == before


def test_a_staging_folder_that_is_a_link_is_refused(tmp_path: Path) -> None:
    with on_another_disk(tmp_path) as other:
        (other / "canary").mkdir()
        (other / "root").mkdir()
        (other / "root" / BESIDE).symlink_to(other / "canary")
        bench = Bench(folder=tmp_path)
        change = replace(bench.change("deploy", package("deploy")), root=other / "root")
        with pytest.raises(RefusedError, match="is a link"):
            apply_changes(bench.version_store, [change])
        assert not list((other / "canary").iterdir())


FAULTS = (
    pytest.param(ENOSPC, ("write", "fsync", "mkdir", "rename", "replace"), id="full"),
    pytest.param(EMFILE, ("open",), id="too many open files"),
    pytest.param(EIO, CHANGING, id="broken", marks=pytest.mark.slow),
    pytest.param(EDQUOT, CHANGING, id="over quota", marks=pytest.mark.slow),
    pytest.param(EACCES, CHANGING, id="forbidden", marks=pytest.mark.slow),
)


@pytest.mark.parametrize(("error", "calls"), FAULTS)
def test_a_disk_that_fails_at_any_moment_changes_nothing_and_needs_no_repair(
    error: int, calls: Collection[str], bench: Bench
) -> None:
    names = ("build", "deploy")
    first = {name: bench.apply(name, package(name, run=b"x")) for name in names}
    for at in count(1):
        changes = [bench.change(name, package(name, f"{at}", run=b"y"), first[name].hash) for name in names]
        problem, done = "", []
        with failing(error, at, calls) as counter:
            try:
                done = apply_changes(bench.version_store, changes)
            except StoreError as failure:
                problem = str(failure)
        if counter.seen < at:
            break
        assert "\n" not in problem
        if done:
            assert [one.hash for one in done] == [bench.hash(name) for name in names]
        elif "Nothing was changed" in problem:
            assert [bench.hash(name) for name in names] == [first[name].hash for name in names], at
        bench.apply("other", package("other", f"{at}"))
        state = {bench.hash(name) == first[name].hash for name in names}
        assert len(state) == 1, f"mixed after {at}"
        bench.check_whole(everything=False)
        first = {name: bench.apply(name, package(name, f"again {at}", run=b"x")) for name in names}
    assert at > 10
    bench.check_whole()


def test_a_disk_that_fails_for_good_changes_nothing(bench: Bench) -> None:
    first = bench.apply("deploy", package("deploy"))
    for at in range(1, 7):
        with failing(EIO, at, ("fsync",)), pytest.raises(StoreError, match="Input/output error"):
            bench.apply("deploy", package("deploy", f"{at}"), first.hash)
        assert bench.hash("deploy") == first.hash, f"fsync {at}"
        assert leftovers(bench.version_store.staging) == []
    assert len(bench.versions("deploy")) == 1
