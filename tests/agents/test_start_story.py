"""The story of `docs/start.md`, told to the end with the real Claude Code: what was learned is in the next request."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from agent_model import AgentModel, Step, shell
from homes import picture
from real_agents import real_agents

pytestmark = pytest.mark.agents

PAGE = Path(__file__).parents[2] / "docs/start.md"
PACKAGES = ("rich", "celery", "stripe", "httpx")


def script() -> dict[str, list[Step]]:
    """What the model does for each request: upgrade, test, commit."""
    return {
        f"dependency {name} to": [
            shell(f"uv add {name}@latest", "I upgrade it first."),
            shell("pytest -q"),
            shell(f"git commit -qam 'Upgrade {name}'"),
            Step(f"{name} is at its newest version and the tests pass."),
        ]
        for name in PACKAGES
    }


def story() -> list[str]:
    """The lines that the page tells a person to type."""
    blocks = re.findall(r"^```session\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return [line.removeprefix("$ ") for block in blocks for line in block.splitlines() if line.startswith("$ ")]


def test_the_story_of_the_first_ten_minutes_is_true(tmp_path: Path) -> None:
    home, project = tmp_path / "home", tmp_path / "harbor-shop"
    project.mkdir()
    lines = story()
    assert len(lines) >= 12
    with real_agents(home, AgentModel(script())) as agents:
        for name in ("uv", "pytest", "git"):
            (agents.tools / name).write_text(f"#!/bin/sh\necho {name} is done\n")
            (agents.tools / name).chmod(0o755)
        (agents.tools / "metier").symlink_to(Path(sys.executable).with_name("metier"))
        (agents.tools / "python3").symlink_to(sys.executable)
        before = picture(home)
        said = _type(lines, project, agents.environ())
        told = [text for text in agents.model.texts() if "dependency httpx to" in text]
        _type(["metier uninit --yes"], project, agents.environ())
    assert "Reference material from the skill library" in told[0]
    assert "uv add <dependency>@latest" in told[0]
    assert not any("Reference material" in text for text in agents.model.texts() if text not in told)
    assert "skills given: upgrade-dependency-newest" in said
    after = picture(home)
    assert {path: after.get(path) for path in before} == before
    for gone in (".local/share", ".claude/skills", ".codex/hooks.json", ".local/state/metier/user/python"):
        assert gone not in after


def _type(lines: list[str], folder: Path, environ: dict[str, str]) -> str:
    """Type lines into one shell; each must succeed. The yes, which takes a terminal, is said by a program."""
    yes = f"{sys.executable} -c \"import metier; metier.open('.').approve('$draft')\""
    said = [yes if line.startswith("metier drafts approve ") else line for line in lines]
    text = "set -e\n" + "\n".join(line for line in said if not line.startswith("metier drafts apply "))
    command = ["bash", "-c", text]
    done = subprocess.run(
        command, cwd=folder, env=environ, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr
