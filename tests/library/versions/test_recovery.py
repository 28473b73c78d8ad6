"""A process killed at any moment of a change: the next finishes it or takes it back, and no hand edit is lost."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from errno import EACCES
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

import pytest
from acts import ACTS, FIRST, NAMES, SECOND, Act, batch, begun, edited, hashes, seen, seen_together, settled
from crash import failing, killed
from shelves import Bench, in_memory, leftovers, on_another_disk, package, snapshot

from metier.errors import ConflictError, StoreError
from metier.library.disk.packages import read_package
from metier.library.disk.slot import SkillSlot
from metier.library.versions.apply import _begin as steps_begun
from metier.library.versions.apply import _move, _prepare, _swap, _write_all, apply_changes
from metier.library.versions.journal import recover
from metier.library.versions.version_store import BESIDE, GRACE, OUT, VersionStore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

EVERY = (11, pytest.param(1, marks=pytest.mark.slow))
"""How many calls lie between two kills: the default suite tries some, another choice of them for each test."""


@pytest.fixture(params=EVERY, ids=lambda step: f"every {step}")
def moments(request: pytest.FixtureRequest) -> Iterator[int]:
    """The calls at which the process is killed."""
    return count(1 + crc32(request.node.name.encode()) % request.param, request.param)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    with in_memory(tmp_path) as found:
        yield found


@pytest.mark.parametrize("exchange", [True, False], ids=["", "three steps"])
@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS.keys())
def test_after_a_kill_at_any_call_all_is_old_or_new_and_the_same_again_ends_the_same(
    act: Act, exchange: bool, folder: Path, moments: Iterator[int]
) -> None:
    beginning = begun(folder / "beginning").folder
    for at in moments:
        bench = Bench(folder=Path(shutil.copytree(beginning, folder / str(at))))
        done = not killed(partial(act.do, bench), at, exchange=exchange)
        if exchange:
            for name, found in hashes(bench, act).items():
                assert found in (act.before[name], act.after[name]), f"{name} is torn after {at}"
        settled(bench)
        found = hashes(bench, act)
        assert found in ((act.after,) if done else (act.before, act.after)), f"mixed after {at}"
        bench.check_whole()
        if found == act.before:
            act.do(bench)
        assert hashes(bench, act) == act.after
        assert {name: len(bench.versions(name)) for name in act.after} == {
            name: 2 if act.before[name] else 1 for name in act.after
        }, "exactly one version more"
        bench.check_whole()
        shutil.rmtree(bench.folder)
        if done:
            break


@pytest.mark.parametrize("link", [".agents", ".agents/skills"])
def test_a_change_waits_while_a_link_stands_on_the_way_to_its_root(
    link: str, folder: Path, moments: Iterator[int]
) -> None:
    act, beginning = ACTS["batch"], begun(folder / "beginning").folder
    for at in moments:
        bench = Bench(folder=Path(shutil.copytree(beginning, folder / str(at))))
        done = not killed(partial(act.do, bench), at)
        away = (bench.folder / link).rename(bench.folder / "away")
        (bench.folder / link).symlink_to(away)
        before, store = snapshot(away), bench.version_store
        with store.writing():
            assert all("is a link to" in one.how for one in recover(store))
        assert snapshot(away) == before, "something was written through the link"
        (bench.folder / link).unlink()
        away.rename(bench.folder / link)
        settled(bench)
        assert hashes(bench, act) in ((act.after,) if done else (act.before, act.after))
        bench.check_whole()
        shutil.rmtree(bench.folder)
        if done:
            break


def test_a_hand_edit_seen_is_a_version_or_will_be_after_a_kill_at_any_call(
    folder: Path, moments: Iterator[int]
) -> None:
    beginning = begun(folder / "beginning").folder
    for at in moments:
        bench = Bench(folder=Path(shutil.copytree(beginning, folder / str(at))))
        done = not killed(partial(seen, bench), at)
        settled(bench)
        bench.check_whole()
        if len(bench.versions("deploy")) == 1:
            assert not done
            seen(bench)
        assert [one.hash for one in bench.versions("deploy")] == [FIRST["deploy"].hash(), SECOND["deploy"].hash()]
        if done:
            break


def test_hand_edits_kept_together_are_versions_or_will_be_after_a_kill_at_any_call(
    folder: Path, moments: Iterator[int]
) -> None:
    beginning = begun(folder / "beginning").folder
    for at in moments:
        bench = Bench(folder=Path(shutil.copytree(beginning, folder / str(at))))
        done = not killed(partial(seen_together, bench), at)
        settled(bench)
        bench.check_whole()
        assert {len(bench.versions(name)) for name in NAMES} <= ({2} if done else {1, 2})
        seen_together(bench)
        bench.check_whole()
        for name in NAMES:
            assert [one.hash for one in bench.versions(name)] == [FIRST[name].hash(), SECOND[name].hash()]
        if done:
            break


@pytest.mark.parametrize("exchange", [True, False], ids=["", "three steps"])
@pytest.mark.parametrize("act", [ACTS["edit"], ACTS["batch"], ACTS["mixed"]], ids=["edit", "batch", "mixed"])
def test_a_hand_edit_between_a_crash_and_the_recovery_is_kept(
    act: Act, exchange: bool, folder: Path, moments: Iterator[int]
) -> None:
    beginning = begun(folder / "beginning").folder
    name = next(iter(act.after))
    by_hand = package(name, "by hand")
    for at in moments:
        bench = Bench(folder=Path(shutil.copytree(beginning, folder / str(at))))
        if not killed(partial(act.do, bench), at, exchange=exchange):
            break
        place = bench.root / name
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        (place / "SKILL.md").write_bytes(by_hand.document)
        settled(bench)
        assert bench.hash(name) == by_hand.hash(), f"overwritten after {at}"
        others = {other: bench.hash(other) for other in act.after if other != name}
        wanted = [{other: one[other] for other in others} for one in (act.before, act.after)]
        assert others in wanted, f"mixed after {at}"
        bench.check_whole()
        bench.apply(name, package(name, "later"))
        kept = [one.hash for one in bench.versions(name)]
        assert by_hand.hash() in kept, "the hand edit is a version"
        assert kept[-1] == package(name, "later").hash()
        shutil.rmtree(bench.folder)


@pytest.mark.parametrize("act", [ACTS["edit"], ACTS["batch"]], ids=["edit", "batch"])
def test_a_folder_that_a_person_removed_after_a_crash_stays_removed(
    act: Act, folder: Path, moments: Iterator[int]
) -> None:
    beginning = begun(folder / "beginning").folder
    for at in moments:
        bench = Bench(folder=Path(shutil.copytree(beginning, folder / str(at))))
        if not killed(partial(act.do, bench), at):
            break
        shutil.rmtree(bench.root / "deploy")
        settled(bench)
        assert not (bench.root / "deploy").exists()
        bench.check_whole()
        for version in bench.versions("deploy"):
            assert bench.bytes_of(version).name == "deploy"
        shutil.rmtree(bench.folder)


def test_a_hand_edit_at_the_very_moment_of_the_exchange_is_put_back_even_after_a_kill(
    folder: Path, moments: Iterator[int]
) -> None:
    beginning = begun(folder / "beginning").folder
    by_hand = package("deploy", "at that moment")

    def overtaken(bench: Bench) -> None:
        """The folder is changed after it was read, before it is exchanged."""
        store = bench.version_store
        with store.writing():
            steps = [_prepare(store, bench.change(name, SECOND[name], FIRST[name].hash())) for name in NAMES]
            notes = steps_begun(store, steps, _write_all(store, steps))
            (bench.root / "deploy" / "SKILL.md").write_bytes(by_hand.document)
            shutil.rmtree(bench.root / "deploy" / "scripts")
            _swap(store, steps, notes)

    for at in moments:
        bench = Bench(folder=Path(shutil.copytree(beginning, folder / str(at))))
        done = not killed(partial(_conflicting, partial(overtaken, bench)), at)
        written = bench.hash("deploy") not in (FIRST["deploy"].hash(), SECOND["deploy"].hash())
        settled(bench)
        bench.check_whole()
        if done:
            assert bench.hash("deploy") == by_hand.hash()
        if written:
            hashes = {bench.hash("build"), bench.hash("test")}
            assert bench.hash("deploy") not in (FIRST["deploy"].hash(), SECOND["deploy"].hash()), f"lost after {at}"
            assert hashes == {FIRST["build"].hash(), FIRST["test"].hash()}
        shutil.rmtree(bench.folder)
        if done:
            break


def _conflicting(action: Callable[[], None]) -> None:
    with pytest.raises(ConflictError):
        action()


def test_a_root_on_another_disk_is_staged_beside_itself(tmp_path: Path, moments: Iterator[int]) -> None:
    with on_another_disk(tmp_path) as folder:
        _stage_on(folder, tmp_path, moments)


def _stage_on(folder: Path, tmp_path: Path, moments: Iterator[int]) -> None:
    for at in moments:
        here, there = tmp_path / str(at), folder / str(at) / "root"
        store = VersionStore(state=here / "state", base=here)
        here.mkdir()
        changes = [replace(Bench(folder=here).change(name, FIRST[name]), root=there) for name in NAMES]
        versions = apply_changes(store, changes)
        assert versions[0].root == str(there)
        again = [
            replace(one, package=SECOND[name], base=FIRST[name].hash())
            for name, one in zip(NAMES, changes, strict=True)
        ]
        done = not killed(partial(apply_changes, store, again), at)
        other = replace(changes[0], version=replace(changes[0].version, skill="other"))
        apply_changes(VersionStore(state=here / "state", base=here), [other])
        found = [read_package(there / name) for name in NAMES]
        assert found in (list(FIRST.values()), list(SECOND.values()))
        assert leftovers(there / BESIDE) == leftovers(store.staging) == []
        assert not list(store.journal.iterdir())
        if done:
            assert found == list(SECOND.values())
            break


def test_two_names_are_passed_in_three_steps_where_they_cannot_be_exchanged(folder: Path) -> None:
    bench = begun(folder)
    with failing(0, 0, exchange=False):
        batch(bench)
    assert hashes(bench, ACTS["batch"]) == ACTS["batch"].after
    bench.check_whole()
    retired = [file for file in bench.version_store.staging.iterdir() if file.name.startswith("old-")]
    assert {read_package(file).hash() for file in retired} == {one.hash() for one in FIRST.values()}


def test_what_made_room_comes_back_or_is_what_was_replaced(folder: Path) -> None:
    bench = begun(folder)
    place = SkillSlot(root=bench.root, skill="deploy", staging=bench.version_store.staging)
    (bench.root / "deploy").rename(bench.version_store.staging / f"new-1{OUT}")
    place.repair("new-1")
    assert bench.hash("deploy") == FIRST["deploy"].hash()
    shutil.copytree(bench.root / "deploy", bench.version_store.staging / f"new-1{OUT}")
    place.repair("new-1")
    assert place.staged_hash("new-1") == FIRST["deploy"].hash()
    assert place.staged_hash(f"new-1{OUT}") == ""


def _cut_short(bench: Bench, names: tuple[str, ...], moved: int) -> None:
    """A batch that ends when so many of its packages are in their places."""
    store = bench.version_store
    with store.writing():
        steps = [_prepare(store, bench.change(name, SECOND[name], FIRST[name].hash())) for name in names]
        steps_begun(store, steps, _write_all(store, steps))
        for step in steps[:moved]:
            _move(step)


def test_a_change_that_cannot_be_settled_now_waits_and_stands_in_nobody_elses_way(folder: Path) -> None:
    bench = begun(folder)
    _cut_short(bench, NAMES, 1)
    note = min(bench.version_store.journal.iterdir())
    text = note.read_bytes()
    note.unlink()
    note.mkdir()  # for the moment it cannot be read
    settled(bench)
    assert bench.hash("build") == SECOND["build"].hash(), "nobody knows what that note says"
    assert len(list(bench.version_store.journal.iterdir())) == 3
    assert any(name.startswith("new-") for name in leftovers(bench.version_store.staging)), "what may be needed is kept"
    note.rmdir()
    note.write_bytes(text)
    settled(bench)
    assert hashes(bench, ACTS["batch"]) == ACTS["batch"].after
    bench.check_whole()


def test_a_skill_whose_last_change_waits_takes_no_other_change(folder: Path) -> None:
    bench, said = begun(folder), set[str]()
    _cut_short(bench, ("deploy",), 1)
    third = bench.change("deploy", package("deploy", "third"), SECOND["deploy"].hash())
    for at in (1, *range(5, 100)):  # between these it looks for what others left, which may fail
        with failing(EACCES, at, ("open",)):
            try:
                apply_changes(bench.version_store, [third])
            except StoreError as problem:
                said.add(str(problem).partition(" of ")[0])
            else:
                break
    assert "An earlier change" in said
    assert [one.number for one in bench.versions("deploy")] == [1, 2, 3]
    assert [one.hash for one in bench.versions("deploy")][1:] == [SECOND["deploy"].hash(), third.package.hash()]
    bench.check_whole()


def test_a_torn_note_of_a_change_is_a_change_that_never_began(folder: Path) -> None:
    bench = begun(folder)
    (bench.version_store.journal / "0123456789abcdef-0.json").write_bytes(b'{"version": {"skill": "dep')
    (bench.version_store.journal / "fedcba9876543210-0.json").write_bytes(b"")
    settled(bench)
    assert hashes(bench, ACTS["batch"]) == ACTS["batch"].before
    bench.check_whole()


def test_folders_that_were_live_stay_for_their_readers_and_go_later(folder: Path) -> None:
    bench = begun(folder)
    with os.scandir(bench.root / "deploy"):
        reader = os.open(bench.root / "deploy", os.O_RDONLY)
    edited(bench)
    names = set(os.listdir(reader))
    os.close(reader)
    assert names == {"SKILL.md", "scripts"}
    old = [file.name for file in bench.version_store.staging.iterdir()]
    assert len(old) == 1
    store = bench.version_store
    with store.writing():
        store.sweep()
        assert [file.name for file in store.staging.iterdir()] == old
        store.sweep(grace=0)
        assert not list(store.staging.iterdir())
        for stamp in ("99999999999999999999", "00000000000000000001"):  # a clock that was wrong
            (store.staging / f"old-{stamp}-ab").mkdir()
        store.sweep(grace=GRACE)
    assert not list(store.staging.iterdir())


@pytest.mark.parametrize("name", ["old-00000000000000000001-ab", "new-0123456789abcdef", "new-0123456789abcdef.out"])
def test_what_killed_processes_left_goes_with_the_next_write(name: str, folder: Path) -> None:
    with on_another_disk(folder) as there:
        bench = begun(folder)
        (there / "root").mkdir()
        places = (bench.version_store.staging, there / "root" / BESIDE)
        for place in places:
            (place / name / "deep").mkdir(parents=True)
            (place / name / "deep" / "file").write_bytes(b"x")
        edited(bench)
        assert [(place / name).exists() for place in places] == [False, True]
        apply_changes(bench.version_store, [replace(bench.change("other", package("other")), root=there / "root")])
        assert not (places[1] / name).exists()
