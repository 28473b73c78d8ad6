"""Roots: the places of PicoClaw and OpenClaw are known, and a project's own `skills` folder stays its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from metier.library.roots import known_roots

if TYPE_CHECKING:
    from pathlib import Path


def found(workspace: Path, home: Path) -> dict[str, tuple[str, str]]:
    """The roots of single agents, by their place below the workspace or the home folder."""
    base = {workspace: "", home: "~/"}
    return {
        f"{sign}{root.path.relative_to(folder)}": (root.level, root.agent)
        for root in known_roots(workspace, home)
        for folder, sign in base.items()
        if root.agent in ("picoclaw", "openclaw") and root.path.is_relative_to(folder)
    }


@pytest.mark.parametrize("agent", ["picoclaw", "openclaw"])
def test_the_skill_folders_of_picoclaw_and_openclaw_are_known_roots(tmp_path: Path, agent: str) -> None:
    home, project = tmp_path / "home", tmp_path / "project"
    for place in (home / f".{agent}/skills", home / f".{agent}/workspace/skills", project / "skills"):
        place.mkdir(parents=True)
    assert found(project, home) == {
        f"~/.{agent}/skills": ("user", agent),
        f"~/.{agent}/workspace/skills": ("user", agent),
    }


@pytest.mark.parametrize("agent", ["picoclaw", "openclaw"])
def test_in_a_workspace_of_the_agent_its_skills_are_the_projects(tmp_path: Path, agent: str) -> None:
    workspace = tmp_path / f".{agent}/workspace"
    (workspace / "skills").mkdir(parents=True)
    assert found(workspace, tmp_path)["skills"] == ("project", agent)


def test_a_workspace_elsewhere_is_known_by_what_the_agent_keeps_there(tmp_path: Path) -> None:
    pico, open_ = tmp_path / "pico", tmp_path / "open"
    (pico / "state/evolution").mkdir(parents=True)
    for folder in (pico, open_):
        (folder / "skills").mkdir(parents=True)
    for name in ("SOUL.md", "IDENTITY.md"):
        (open_ / name).write_text("x")
    assert found(pico, tmp_path / "home") == {"skills": ("project", "picoclaw")}
    assert found(open_, tmp_path / "home") == {"skills": ("project", "openclaw")}
