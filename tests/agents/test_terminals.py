"""Claude Code and Codex in a terminal, as a person uses them: trusted once, recorded, and told what was learned."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import pytest
from agent_model import AgentModel
from real_agents import RealAgents, has_tmux, real_agents
from selection_shop import FLAKY, stocked
from test_real_agents import SCRIPT

from metier.agents.codex_trust import ask_codex_trust
from metier.agents.places import places_of
from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [
    pytest.mark.agents,
    pytest.mark.skipif(not has_tmux(), reason="there is no tmux to run a terminal in"),
]


@pytest.fixture
def agents(tmp_path: Path) -> Iterator[RealAgents]:
    with real_agents(tmp_path / "home", AgentModel(SCRIPT)) as found:
        yield found


@pytest.fixture
def project(tmp_path: Path, agents: RealAgents) -> Path:
    folder = tmp_path / "my proj & co"
    folder.mkdir()
    agents.metier(folder, "init", "--yes")
    with stocked(Workspace.open(folder)) as ws:
        for _ in ws.index_skills():
            pass
    return folder


def recorded(agents: RealAgents, project: Path) -> dict[str, object]:
    """The one run that was recorded."""
    for _ in range(50):
        rows = json.loads(agents.metier(project, "runs", "list", "--json"))
        if rows:
            break
        time.sleep(0.2)
    assert [row["message"] for row in rows] == [FLAKY]
    return json.loads(agents.metier(project, "runs", "show", rows[0]["id"], "--json"))["run"]


def test_claude_code_in_a_terminal_is_recorded_with_tools_and_tokens(agents: RealAgents, project: Path) -> None:
    agents.settle_claude(project)
    with agents.terminal(project, "claude", "--dangerously-skip-permissions") as terminal:
        terminal.wait_for("❯")
        terminal.ask(FLAKY, "The login test is stable now.")
        run = recorded(agents, project)
    assert [tool["ok"] for tool in run["tools"]] == [True, False]  # type: ignore[index]
    assert run["tokens"]["output"] == 7 * 3  # type: ignore[index]
    assert "Reference material" in next(text for text in agents.model.texts() if FLAKY in text)


def test_codex_asks_once_for_trust_and_records_from_then_on(agents: RealAgents, project: Path) -> None:
    environ = agents.environ()
    assert ask_codex_trust(places_of(environ), environ) == "untrusted"
    with agents.terminal(project, "codex", "--no-daemon", *agents.codex_words()) as terminal:
        shown = terminal.wait_for("Hooks need review")
        assert "Trust all and continue" in shown
        time.sleep(1)  # keys that are pressed while it starts are lost
        terminal.press("2")
        terminal.wait_for("› 2. Trust all and continue")
        terminal.press("Enter")
        terminal.wait_until_gone("Hooks need review")
        terminal.wait_for("gpt-5-codex")
        terminal.ask(FLAKY, "The login test is stable now.")
        run = recorded(agents, project)
    assert [tool["ok"] for tool in run["tools"]] == [True, False]  # type: ignore[index]
    assert "Reference material" in agents.model.texts()[0]
    assert ask_codex_trust(places_of(environ), environ) == "trusted"
    agents.metier(project, "connect", "--yes")
    assert ask_codex_trust(places_of(environ), environ) == "trusted"
