"""Readers, writers and an attacker at once: only committed bytes are read, one writer wins, no link is followed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import library_worker
import pytest
from library_worker import ROOT, live, package, version_store_of
from shelves import snapshot
from sweep import ENVIRON, PATIENCE
from waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator

WORKER = (sys.executable, str(Path(library_worker.__file__)))
READERS = 4
FAIR = ("ConflictError", "RefusedError", "NotFoundError", "FileNotFoundError", "NotADirectoryError", "InputError")
"""How somebody is refused who met a folder that is not there, or that somebody else has changed."""


class Crowd:
    """Processes that run at the same time; what is left of them ends with the test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.processes: list[subprocess.Popen[bytes]] = []

    def start(self, verb: str, *words: object) -> Path:
        """Start one; the file is where it acknowledges."""
        acks = self.folder / f"acks-{len(self.processes)}"
        with acks.open("wb") as out:
            command = [*WORKER, verb, str(self.folder), *map(str, words)]
            made = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.PIPE,
                env=ENVIRON,
                start_new_session=True,
            )
        self.processes.append(made)
        return acks

    def finish(self) -> None:
        for process in self.processes:
            _, said = process.communicate(timeout=PATIENCE * 10)
            assert process.returncode == 0, said.decode()

    def end(self) -> None:
        for process in self.processes:
            if process.poll() is None:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.communicate(timeout=60)


@pytest.fixture
def crowd(tmp_path: Path) -> Iterator[Crowd]:
    folder = tmp_path / "library"
    folder.mkdir()
    library_worker.opened(str(folder)).close()
    made = Crowd(folder)
    yield made
    made.end()


def _lines(file: Path) -> list[str]:
    return file.read_text().splitlines()


def _versions(folder: Path, name: str) -> list[str]:
    """The hashes of all versions, each of which has all its bytes."""
    store = version_store_of(folder)
    past = store.histories.history_of(ROOT, name)
    assert not past.damaged
    assert [one.number for one in past.versions] == list(range(1, len(past.versions) + 1))
    for one in past.versions:
        assert store.objects.load(one.files).hash() == one.hash
    assert not list(store.journal.iterdir())
    assert not [file for file in store.staging.iterdir() if not file.name.startswith("old-")]
    return [one.hash for one in past.versions]


@pytest.mark.parametrize("applies", [20, pytest.param(2000, marks=pytest.mark.slow)])
def test_readers_find_only_what_was_committed(applies: int, crowd: Crowd) -> None:
    library_worker.put(str(crowd.folder), "first", "deploy")
    seen = [crowd.start("read", "deploy") for _ in range(READERS)]
    until(lambda: all(len(_lines(file)) > 3 for file in seen), "every reader has begun")
    acks = crowd.start("many", "deploy", applies, "a seed")
    crowd.processes[-1].wait(PATIENCE * 10)
    (crowd.folder / "stop").touch()
    crowd.finish()
    committed = _versions(crowd.folder, "deploy")
    assert len(committed) == applies + 1
    assert [line for line in _lines(acks) if not line.startswith("applied")] == []
    for file in seen:
        found = _lines(file)
        assert set(found) <= set(committed), "a mixture was read"
        order = [committed.index(one) for one in found]
        assert order == sorted(order), "an older version after a newer one"


@pytest.mark.parametrize("applies", [20, pytest.param(1000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("place", [".", "deploy", "group"])
def test_a_folder_that_turns_into_a_link_again_and_again_leads_nowhere(applies: int, place: str, crowd: Crowd) -> None:
    name = "group/deploy" if place == "group" else "deploy"
    canary = crowd.folder / "canary"
    for folder in (canary, crowd.folder / ROOT / name):
        _written(folder if folder is not canary or place == "deploy" else canary / "deploy")
    before = snapshot(canary)
    crowd.start("attack", place, canary)
    acks = crowd.start("many", name, applies, "a seed")
    crowd.processes[-1].wait(PATIENCE * 10)
    (crowd.folder / "stop").touch()
    crowd.finish()
    afterwards = crowd.start("many", name, 1, "another seed")
    crowd.finish()
    assert snapshot(canary) == before, "something was written through the link"
    ended = [*_lines(acks), *_lines(afterwards)]
    assert len(ended) == applies + 1
    assert {line.split()[1] for line in ended if line.startswith("refused")} <= set(FAIR)
    assert ended[-1].startswith("applied"), "once nobody attacks, all is as before"
    committed = _versions(crowd.folder, name)
    assert {line.split()[1] for line in ended if line.startswith("applied")} <= set(committed)


def _written(folder: Path) -> None:
    for path, content in package("deploy", "canary").files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)


@pytest.mark.parametrize("rounds", [1, pytest.param(12, marks=pytest.mark.slow)])
def test_of_eight_who_change_the_same_bytes_one_wins(rounds: int, crowd: Crowd) -> None:
    library_worker.put(str(crowd.folder), "first", "deploy")
    for number in range(rounds):
        base, gate = live(crowd.folder, "deploy"), crowd.folder / f"gate-{number}"
        crowd.processes.clear()
        acks = [crowd.start("round", "deploy", base, f"{number}-{one}", gate) for one in range(8)]
        gate.touch()
        crowd.finish()
        ended = [line for file in acks for line in _lines(file)]
        won = [line for line in ended if line.startswith("won")]
        assert len(won) == 1
        assert ended.count("lost") == 7
        assert won[0] == f"won {number + 2} {live(crowd.folder, 'deploy')}"
    assert len(_versions(crowd.folder, "deploy")) == rounds + 1


@pytest.mark.parametrize("applies", [20, pytest.param(300, marks=pytest.mark.slow)])
def test_two_who_change_two_skills_both_succeed(applies: int, crowd: Crowd) -> None:
    acks = {name: crowd.start("many", name, applies, name) for name in ("build", "deploy")}
    crowd.finish()
    for name, file in acks.items():
        ended = _lines(file)
        assert [line.split()[0] for line in ended] == ["applied"] * applies
        assert _versions(crowd.folder, name) == [line.split()[1] for line in ended]
