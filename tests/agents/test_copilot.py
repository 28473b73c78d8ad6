"""Copilot CLI itself, with a scripted model: the plugin's hooks and its server find the project."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from agent_model import AgentModel, Step, ToolCall
from homes import picture
from real_agents import RealAgents, has_tmux, real_copilot
from selection_shop import FLAKY, stocked
from states import state_of

from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.agents
READ = ToolCall(("metier-skill",), {"name": "flaky-tests"})
SCRIPT = {FLAKY: [Step("The login test is stable now.")], "read the skill": [Step("I look.", (READ,)), Step("Read.")]}


@pytest.fixture
def agents(tmp_path: Path) -> Iterator[RealAgents]:
    with real_copilot(tmp_path / "home", AgentModel(SCRIPT)) as found:
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


def runs(agents: RealAgents, project: Path) -> list[dict[str, str]]:
    return json.loads(agents.metier(project, "runs", "list", "--json"))


def test_a_skill_is_handed_over_and_the_server_reads_one(agents: RealAgents, project: Path) -> None:
    agents.copilot(project, FLAKY)
    assert "Reference material" in agents.model.texts()[-1]
    assert "Run it fifty times." in agents.model.texts()[-1]
    agents.copilot(project, "read the skill")
    assert "Run it fifty times." in agents.model.texts()[-1]
    assert not (state_of(project) / "spool/errors.log").exists()


def test_what_a_program_started_is_not_recorded_unless_that_is_wished(agents: RealAgents, project: Path) -> None:
    agents.copilot(project, FLAKY)
    assert runs(agents, project) == []
    agents.metier(project, "config", "set", "record_headless", "true")
    agents.copilot(project, FLAKY)
    (run,) = runs(agents, project)
    shown = json.loads(agents.metier(project, "runs", "show", run["id"], "--json"))
    assert (run["message"], shown["run"]["skills"]["given"]) == (FLAKY, ["flaky-tests"])


@pytest.mark.skipif(not has_tmux(), reason="there is no tmux")
def test_a_session_in_a_terminal_is_recorded(agents: RealAgents, project: Path) -> None:
    with agents.terminal(project, "copilot", **agents.copilot_environ()) as terminal:
        terminal.wait_for("Do you trust the files", 60)
        terminal.press("Enter")
        terminal.wait_for("/ commands", 60)
        terminal.ask(FLAKY, "The login test is stable now.")
        terminal.ask("/exit", "Resume")
    (run,) = runs(agents, project)
    shown = json.loads(agents.metier(project, "runs", "show", run["id"], "--json"))
    assert (shown["agent"], shown["output"]) == ("copilot", "The login test is stable now.")
    assert "Run it fifty times." in agents.model.texts()[-1]
    assert not (state_of(project) / "spool/errors.log").exists()


def test_disconnecting_leaves_its_settings_as_they_were(agents: RealAgents, tmp_path: Path) -> None:
    folder = tmp_path / "p"
    folder.mkdir()
    settings = agents.home / ".copilot/settings.json"
    settings.write_text('{"theme": "dark"}\n')
    before = {path: what for path, what in picture(agents.home).items() if path.endswith("settings.json")}
    agents.metier(folder, "connect", "--yes")
    assert json.loads(settings.read_text())["enabledPlugins"] == {"metier@metier": True}
    agents.metier(folder, "disconnect")
    assert {path: what for path, what in picture(agents.home).items() if path.endswith("settings.json")} == before
