"""SIGKILL at the K-th system call: nothing acknowledged is lost, nothing is mixed, the same command again converges."""

from __future__ import annotations

import shutil
from itertools import count
from typing import TYPE_CHECKING

import pytest
from stories import STORIES, Story
from sweep import SYSCALLS, Ended, adopt, folder_of, injected, listed_by_command, need_strace, points, run, spread

if TYPE_CHECKING:
    from pathlib import Path

SAMPLED = {"spool": 100, "delete": 3}
"""Kill points of the default suite where they are not 2; the spool's are all of them."""


FIRST = ("a block", "delete", "spool", "ingest")
"""Stories of the default suite; the others have their place among the long tests."""


@pytest.fixture(
    params=[one if one.name in FIRST else pytest.param(one, marks=pytest.mark.slow) for one in STORIES],
    ids=lambda story: story.name,
)
def story(request: pytest.FixtureRequest) -> Story:
    need_strace()
    return request.param


@pytest.fixture
def beginning(story: Story, tmp_path: Path) -> Path:
    """The state that every kill of a story begins with."""
    folder = tmp_path / "beginning"
    folder.mkdir()
    story.begin(folder)
    return folder


def test_a_kill_here_and_there_loses_nothing_acknowledged(story: Story, beginning: Path, tmp_path: Path) -> None:
    folder = _copy(beginning, tmp_path / "undisturbed")
    calls = points(story.command(folder), tmp_path / "trace", story.given)
    assert calls
    for index, (syscall, number) in enumerate(spread(calls, SAMPLED.get(story.name, 2))):
        folder = _copy(beginning, tmp_path / str(index))
        assert _kill(story, folder, syscall, number).killed
    listed_by_command(folder_of(story.command(folder)))


@pytest.mark.slow
@pytest.mark.parametrize("syscall", SYSCALLS)
def test_a_kill_at_every_system_call_loses_nothing_acknowledged(
    story: Story, beginning: Path, syscall: str, tmp_path: Path
) -> None:
    for number in count(1):
        folder = _copy(beginning, tmp_path / str(number))
        if not _kill(story, folder, syscall, number).killed:
            break
        listed_by_command(folder_of(story.command(folder)))
        shutil.rmtree(folder)


def _copy(beginning: Path, folder: Path) -> Path:
    return adopt(shutil.copytree(beginning, folder))


def _kill(story: Story, folder: Path, syscall: str, number: int) -> Ended:
    """Run the story's command with a kill at one call, then again without; check the promise after each."""
    command = story.command(folder)
    ended = run(injected(command, syscall, "signal=SIGKILL", number), story.given)
    assert ended.killed or ended.code == 0, f"{syscall} {number}: {ended.err}"
    try:
        story.after(folder, ended)
        again = run(command, story.given)
        assert again.code == 0, again.err
        story.end(folder)
    except AssertionError as error:
        error.add_note(f"{story.name}, killed at {syscall} number {number}")
        raise
    return ended
