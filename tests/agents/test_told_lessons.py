"""Each way in which a lesson reaches the real agents: beside a call, with a request, from a page, after compaction."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from agent_model import AgentModel, Step, shell
from real_agents import RealAgents, has_tmux, real_agents

from metier.library.lessons import approve_lesson, publish_lesson
from metier.store.tables.learning import lessons
from metier.types.lessons import Lesson, LessonCheck
from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.agents

HELD = "Install packages with `uv pip install` instead of `pip install`."
FACT = "Run the tests with `npm test`."
WRITTEN = "Write commit messages in English."
RULE = "Say what you did in one sentence."
SCRIPT = {
    "test the shop": [shell("touch ran-anyway && pip install --dry-run ./rich"), Step("All is well.")],
    "second thing": [Step("The second thing is done.")],
    "first thing": [Step("The first thing is done.")],
    "summary of the conversation": [Step("<summary>The first thing was done.</summary>")],
}
PAGES = {"claude": "CLAUDE.md", "codex": "AGENTS.md"}


@pytest.fixture
def agents(tmp_path: Path) -> Iterator[RealAgents]:
    with real_agents(tmp_path / "home", AgentModel(SCRIPT)) as found:
        yield found


@pytest.fixture
def project(tmp_path: Path, agents: RealAgents) -> Path:
    folder = tmp_path / "my proj & co"
    folder.mkdir()
    agents.metier(folder, "init", "--yes")
    return folder


def taught(agents: RealAgents, project: Path, page: str) -> None:
    """Four lessons in use, each with another way to agents."""
    check = LessonCheck(program=("pip", "install"), instead="uv pip install")
    with Workspace.open(project, environ=agents.environ()) as ws:
        found = {
            "a" * 12: Lesson(id="a" * 12, workspace=ws.name, kind="rule", text=HELD, subject="pip uv", check=check),
            "b" * 12: Lesson(id="b" * 12, workspace=ws.name, kind="fact", text=FACT, subject="test: npm"),
            "c" * 12: Lesson(id="c" * 12, workspace=ws.name, kind="rule", text=WRITTEN, subject="commit english"),
            "d" * 12: Lesson(id="d" * 12, workspace=ws.name, kind="rule", text=RULE, subject="say sentence"),
        }
        with ws.context.store.write() as transaction:
            lessons.put(transaction, found.values())
        for one in found:
            approve_lesson(ws.context, one, step="remind" if one == "a" * 12 else None)
        publish_lesson(ws.context, "c" * 12, page)


@pytest.mark.parametrize("agent", ["claude", "codex"])
def test_a_reminder_a_fact_and_the_block_in_a_page_all_reach_the_agent(
    agents: RealAgents, project: Path, agent: str
) -> None:
    taught(agents, project, PAGES[agent])
    (agents.claude if agent == "claude" else agents.codex)(project, "please test the shop")
    first, second = [text for text in agents.model.texts() if "please test the shop" in text][:2]
    for line in (FACT, WRITTEN, RULE):
        assert first.count(line) == 1, line
    assert HELD not in first, "one channel a lesson"
    assert second.count(HELD) == 1
    assert (project / "ran-anyway").exists(), "a reminder stops nothing"


@pytest.mark.skipif(not has_tmux(), reason="there is no tmux to run a terminal in")
def test_claude_code_reads_the_rules_again_after_it_compacted_its_context(agents: RealAgents, project: Path) -> None:
    taught(agents, project, "CLAUDE.md")
    agents.settle_claude(project)
    with agents.terminal(project, "claude", "--dangerously-skip-permissions") as terminal:
        terminal.wait_for("❯")
        terminal.ask("do the first thing", "The first thing is done.")
        terminal.ask("/compact", "ompacted")
        agents.model.requests.clear()
        time.sleep(0.5)
        terminal.ask("do the second thing", "The second thing is done.")
    asked = next(text for text in agents.model.texts() if "do the second thing" in text)
    assert "do the first thing" not in asked.replace("The first thing was done", "")
    assert asked.count(RULE) == 1
