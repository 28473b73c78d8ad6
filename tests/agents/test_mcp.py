"""Claude Code and Codex themselves call the MCP server's tools."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest
from agent_model import AgentModel, Step, ToolCall
from real_agents import RealAgents, real_agents
from selection_shop import stocked

from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.agents
TASK = {"name": "flaky-tests"}
NAMES = ("mcp__metier__skill", "skill", "mcp__metier.skill")
SCRIPT = {"read the skill": [Step("I look.", (ToolCall(NAMES, TASK),)), Step("Read.")]}


@pytest.fixture
def agents(tmp_path: Path) -> Iterator[RealAgents]:
    with real_agents(tmp_path / "home", AgentModel(SCRIPT)) as found:
        yield found


@pytest.fixture
def project(tmp_path: Path, agents: RealAgents) -> Path:
    folder = tmp_path / "my proj & co"
    folder.mkdir()
    agents.metier(folder, "init", "--no-connect")
    stocked(Workspace.open(folder)).close()
    return folder


def test_claude_code_reads_a_skill_through_the_server(agents: RealAgents, project: Path, tmp_path: Path) -> None:
    server = {"command": sys.executable, "args": ["-I", "-m", "metier", "mcp"], "alwaysLoad": True}
    config = tmp_path / "mcp.json"
    config.write_text(json.dumps({"mcpServers": {"metier": server}}))
    agents.claude(project, "read the skill", "--mcp-config", str(config), "--strict-mcp-config")
    said = json.dumps(agents.model.requests)
    assert "Run it fifty times." in said
    assert "Metier keeps skills learned from work" in said


def test_codex_reads_a_skill_through_the_server(agents: RealAgents, project: Path) -> None:
    config = agents.home / ".codex/config.toml"
    config.write_text('model = "gpt-5-codex"  # mine\n')
    agents.metier(project, "connect", "--yes")
    (known,) = json.loads(agents.run(project, "codex", "mcp", "list", "--json"))
    assert (known["name"], known["enabled"]) == ("metier", True)
    agents.codex(project, "read the skill")
    assert "Run it fifty times." in json.dumps(agents.model.requests)
    assert "Codex knows the MCP server" in agents.metier(project, "doctor", code=1)
    agents.run(project, "codex", "mcp", "add", "other", "--", "true")
    agents.metier(project, "disconnect")
    assert config.read_text() == 'model = "gpt-5-codex"  # mine\n\n[mcp_servers.other]\ncommand = "true"\n'


def test_no_variable_of_the_agent_moves_the_server(agents: RealAgents, project: Path) -> None:
    agents.metier(project, "connect", "--yes")
    agents.codex(project, "read the skill", METIER_ENABLED="false", METIER_HOME="/nowhere", XDG_STATE_HOME="/nowhere")
    assert "Run it fifty times." in json.dumps(agents.model.requests)
