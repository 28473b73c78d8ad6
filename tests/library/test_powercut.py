"""A power cut at any moment of a change: whatever the disk made of it, all is old or new, and nothing is torn."""

from __future__ import annotations

import shutil
import subprocess
import sys
from copy import deepcopy
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

import acts
import pytest
from acts import ACTS, FIRST, NAMES, SECOND, Act, begun, hashes, seen_together, settled
from powercut import Disk, traced
from shelves import Bench, in_memory

from metier.errors import MetierError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    with in_memory(tmp_path) as found:
        yield found


@pytest.mark.parametrize("every", [40, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ACTS)
def test_after_a_power_cut_at_any_moment_all_is_old_or_new(name: str, every: int, folder: Path) -> None:
    disk, trace = _recorded(name, folder)
    calls = 0
    for calls, call in enumerate(disk.play(trace), 1):
        if (calls + crc32(name.encode())) % every == 0:
            _check_cuts(disk, folder / "left", partial(_check, act=ACTS[name]), f"after {call} number {calls}")
    assert calls > 5
    _check_cuts(disk, folder / "left", partial(_check, act=ACTS[name], done=True), "at the end")


@pytest.mark.parametrize("every", [15, pytest.param(1, marks=pytest.mark.slow)])
def test_hand_edits_kept_together_are_versions_or_will_be_after_a_power_cut(every: int, folder: Path) -> None:
    disk, trace = _recorded("seen", folder)
    calls = 0
    for calls, call in enumerate(disk.play(trace), 1):
        if calls % every == 0:
            _check_cuts(disk, folder / "left", _check_seen, f"after {call} number {calls}")
    assert calls > 20
    _check_cuts(disk, folder / "left", partial(_check_seen, done=True), "at the end")


def _check_seen(bench: Bench, *, done: bool = False) -> None:
    """Whatever has become a version is whole; all have when it was done, and when it is done again."""
    settled(bench)
    for again in (False, True):
        if again:
            seen_together(bench)
        bench.check_whole()
        for name in NAMES:
            kept = [one.hash for one in bench.versions(name)]
            both = [FIRST[name].hash(), SECOND[name].hash()]
            assert kept == both or (kept == both[:1] and not done and not again)


@pytest.mark.slow
def test_without_any_one_of_the_syncs_a_power_cut_does_harm(folder: Path) -> None:
    disk, trace = _recorded("edit", folder)
    syncs = list(deepcopy(disk).play(trace)).count("fsync")
    assert syncs == 9, "of two objects and the note, two staged files, their two folders, the journal and the root"
    for number in range(1, syncs + 1):
        with pytest.raises((AssertionError, MetierError, OSError)):
            _check_after_the_exchange(deepcopy(disk), trace, folder / f"left-{number}", number)


def _check_after_the_exchange(disk: Disk, trace: str, folder: Path, without: int) -> None:
    moved, check = False, partial(_check, act=ACTS["edit"])
    for call in disk.play(trace, without):
        moved |= call == "renameat2"
        if moved:
            _check_cuts(disk, folder, check, f"after {call}, without sync number {without}")
    _check_cuts(disk, folder, partial(check, done=True), f"at the end, without sync number {without}")


def _recorded(name: str, folder: Path) -> tuple[Disk, str]:
    """The disk before a change, and all that the change does to it."""
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    if subprocess.run(["strace", "-qq", "-o", "/dev/null", "true"], capture_output=True, timeout=60).returncode:
        pytest.skip("strace may not trace here")
    bench, trace = begun(folder / "bench"), folder / "trace"
    disk = Disk(top=bench.folder)
    disk.load(bench.folder)
    subprocess.run(
        traced([sys.executable, str(Path(acts.__file__)), name, str(bench.folder)], trace), check=True, timeout=60
    )
    return disk, trace.read_text()


def _check_cuts(disk: Disk, folder: Path, check: Callable[[Bench], None], when: str) -> None:
    for how, lost in disk.cuts():
        for bytes_too in (True, False):
            disk.leave(folder, lost, bytes_too=bytes_too)
            try:
                check(Bench(folder=folder))
            except Exception as error:
                error.add_note(f"{when}: {how}{', and the bytes that were not synced' if bytes_too else ''}")
                raise
            shutil.rmtree(folder)


def _check(bench: Bench, *, act: Act, done: bool = False) -> None:
    """Nothing is torn; the next command settles it, the same change again ends the same; what was done stays done."""
    for name, found in hashes(bench, act).items():
        assert found in (act.before[name], act.after[name]), f"{name} is torn"
        assert found == act.after[name] or not done, f"{name} is lost"
    settled(bench)
    found = hashes(bench, act)
    assert found in ((act.after,) if done else (act.before, act.after)), "mixed"
    bench.check_whole()
    if found == act.before:
        act.do(bench)
    assert hashes(bench, act) == act.after
    wanted = {name: 2 if before else 1 for name, before in act.before.items()}
    assert {name: len(bench.versions(name)) for name in act.after} == wanted, "exactly one version more"
    bench.check_whole()
