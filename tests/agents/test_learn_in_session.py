"""`/metier:learn` in Claude Code itself: the open session answers what learning asks, and only proposes."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from agent_model import AgentModel, Step, shell
from allowing import allow
from cli_shell import bumps
from real_agents import real_agents

from metier.workspace import Workspace

pytestmark = pytest.mark.agents
BODY = """---
name: bump-dependency
description: Bumps a dependency to its newest version and fixes what breaks. Use when asked to bump or upgrade one.
---

# Bump a dependency

## When to use

A dependency should be at its newest version.

## Procedure

1. Pin it: `python tools/pin.py '<dependency>'`
2. Run `pytest -q` and fix what breaks.
3. Commit: `git commit -am 'Bump <dependency>'`

## Checks

`pytest -q` passes.
"""
ANSWER = {
    "nonce": "THE NONCE",
    "target": "bump-dependency",
    "kind": "create",
    "body": BODY,
    "summary": "How dependencies are bumped here.",
    "uses": ["bump the dependency rich"],
    "entry_path": [],
    "avoid": [],
}
NONCE = r"""$(sed -n 's/.*"nonce": "\([0-9a-f]*\)".*/\1/p' "$file")"""
ALL = f'for file in ~/ask/*.md; do sed "s/THE NONCE/{NONCE}/" answer.json > "${{file%.md}}.json"; done'
SCRIPT = {
    "metier learn --questions": [
        shell("metier learn --questions ~/ask", "I begin."),
        shell("cat ~/ask/*.md"),
        shell(f"{ALL}; metier learn --answers ~/ask"),
        shell("metier drafts list --json"),
        Step("One draft waits for you: bump-dependency, from 4 runs."),
    ]
}


def test_the_command_of_the_plugin_learns_with_the_open_session(tmp_path: Path) -> None:
    project = tmp_path / "my proj & co"
    project.mkdir()
    with real_agents(tmp_path / "home", AgentModel(SCRIPT)) as agents:
        (agents.tools / "metier").symlink_to(Path(sys.executable).with_name("metier"))
        agents.metier(project, "init", "--yes")
        with Workspace.open(project) as ws:
            allow(ws, "question-files").deliver(bumps())
        (project / "answer.json").write_text(json.dumps(ANSWER))
        said = agents.claude(project, "/metier:learn")
        texts = agents.model.texts()
        assert "One draft waits for you" in said
        assert "Do not approve or apply anything" in texts[0], "the command's own text is what the model reads"
        assert "1 question waits in" in texts[1]
        assert "bump the dependency rich to its newest version" in texts[2], "the question holds the runs"
        assert "Took 1 answer in." in texts[3]
        (draft,) = json.loads(agents.metier(project, "drafts", "list", "--json"))
        assert draft["id"] in texts[4]
        assert draft["target"] == "bump-dependency"
        assert not (project / ".agents/skills/bump-dependency").exists(), "it only proposes"
        again = json.loads(agents.metier(project, "learn", "--questions", str(tmp_path / "ask"), "--json"))
        assert again["questions"] == [], "nothing is asked twice"
