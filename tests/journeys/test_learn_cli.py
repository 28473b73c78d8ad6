"""Learning through the command line, in processes of its own: from a file of runs to a skill, and back."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import forked
import pytest

if TYPE_CHECKING:
    from pathlib import Path

METIER = (sys.executable, "-m", "metier")


def lines(names: str, start: int = 0) -> str:
    """A chore that keeps coming up, one run a line."""
    return "".join(
        json.dumps(
            {
                "id": f"r{number}",
                "session": f"s{number}",
                "message": f"bump the dependency {name} to its newest version and fix what breaks",
                "status": "completed",
                "output": f"{name} is at its newest version, and the whole suite passes.",
                "tools": [
                    {"name": "Bash", "input": f"uv add '{name}'", "output": "Resolved 96 packages"},
                    {"name": "Bash", "input": "pytest -q", "output": "424 passed"},
                ],
            }
        )
        + "\n"
        for number, name in enumerate(names.split(), start)
    )


class Project:
    """A workspace, and the command line in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()

        self.environ = {"HOME": str(folder.parent / "home"), "PATH": os.environ["PATH"], "NO_COLOR": "1"}

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """In a Python of its own, so that two can run at once."""
        return subprocess.run(
            [*METIER, *words], cwd=self.folder, env=self.environ, capture_output=True, text=True, timeout=120
        )

    def decided(self, *words: str) -> int:
        """How a command ends that a person runs at a terminal."""
        return forked.typed(*words, cwd=self.folder, env=self.environ).returncode

    def json(self, *words: str, given: str = "") -> Any:
        done = forked.metier(*words, "--json", cwd=self.folder, env=self.environ, given=given)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "project")


def test_runs_become_a_skill_that_goes_back_to_its_runs_and_is_taken_back(project: Project) -> None:
    ids = project.json("record", given=lines("httpx rich stripe celery"))["ids"]
    learned = project.json("learn")
    assert (learned["evidence"], learned["patterns"]) == (4, {"new": 1, "extended": 0})
    (pattern,) = project.json("patterns")
    assert (pattern["runs"], pattern["external_ids"]) == (ids, ["r0", "r1", "r2", "r3"])
    draft = learned["drafts"][0]["id"]
    assert "uv add" in project.json("drafts", "diff", draft)["files"][0]["diff"]
    assert project.decided("drafts", "apply", draft) == 1  # it installs something: a person says yes first
    assert project.decided("drafts", "approve", draft) == 0
    assert project.decided("drafts", "apply", draft) == 0
    (shipped,) = project.json("skills", "list")
    document = project.folder / ".agents" / "skills" / shipped["name"] / "SKILL.md"
    assert "pytest -q" in document.read_text(encoding="utf-8")
    assert not [run for run in ids if run in document.read_text(encoding="utf-8")]
    assert {tuple(one["runs"]) for one in project.json("skills", "blame", shipped["name"])} == {tuple(ids)}
    project.json("skills", "archive", shipped["name"])
    assert not document.exists()


def test_of_two_learners_at_once_one_works_and_nothing_is_learned_twice(project: Project) -> None:
    project.json("record", given=lines("httpx rich stripe celery"))
    with ThreadPoolExecutor(2) as pool:
        both = list(pool.map(lambda wait: project.run("learn", "--wait", wait, "--json"), ("60", "60")))
    assert [one.returncode for one in both] == [0, 0], [one.stderr for one in both]
    passes = [json.loads(one.stdout) for one in both]
    assert sorted(one["evidence"] for one in passes) == [0, 4]
    assert sorted(len(one["drafts"]) for one in passes) == [0, 1]
    assert len(project.json("drafts", "list", "--all")) == 1
