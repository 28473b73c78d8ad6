"""Claude Code and Codex themselves answer Metier's questions: small requests, no hook, no session."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from agent_model import AgentModel, Step
from homes import picture
from real_agents import RealAgents, real_agents
from states import state_of

from metier.models.builder import build
from metier.models.failures import Refused
from metier.models.model import Message, Reply, Request
from metier.models.programs.agent_program import AgentProgram
from metier.models.spec import parse_spec

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.agents
SCRIPT = {"Say ready": [Step("ready")]}
REQUEST = Request(messages=(Message(text="Say ready"),), system="Be brief.", max_tokens=500, timeout=60)


@pytest.fixture
def agents(tmp_path: Path) -> Iterator[RealAgents]:
    with real_agents(tmp_path / "home", AgentModel(SCRIPT)) as found:
        yield found


@pytest.fixture
def project(tmp_path: Path, agents: RealAgents) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    settings = [f"{word}\n" for word in agents.codex_words() if "=" in word]
    server = f'[mcp_servers.own]\ncommand = "touch"\nargs = ["{tmp_path}/started"]\n'
    (agents.home / ".codex/config.toml").write_text("".join(settings) + server)
    agents.metier(folder, "init", "--yes")
    return folder


def model(agents: RealAgents, text: str, **more: str) -> AgentProgram:
    found = build(parse_spec(text), agents.environ() | more)
    assert isinstance(found, AgentProgram), found
    return found


def test_claude_code_answers_in_a_small_request_and_leaves_nothing(agents: RealAgents, project: Path) -> None:
    before = [line for line in picture(agents.home) if "projects" in line or "spool" in line]
    reply = model(agents, "claude-code:haiku").complete(REQUEST)
    assert isinstance(reply, Reply), reply
    assert (reply.text, reply.finish) == ("ready", "stop")
    assert reply.tokens is not None
    assert reply.cost_usd is not None
    (request,) = [one for one in agents.model.requests if "messages" in one]
    assert len(json.dumps(request)) < 4_000
    assert (request["tools"], request["max_tokens"]) == ([], 500 + 1024)
    assert "Be brief." in json.dumps(request["system"])
    assert [line for line in picture(agents.home) if "projects" in line or "spool" in line] == before
    assert list((state_of(project) / "spool").glob("*.json")) == []


@pytest.mark.parametrize("name", ["default", "gpt-6.1-sol"])
def test_a_model_that_codex_knows_gets_a_small_request_without_any_tool(
    agents: RealAgents, project: Path, name: str
) -> None:
    reply = model(agents, f"codex:{name}").complete(REQUEST)
    assert isinstance(reply, Reply), reply
    (request,) = [one for one in agents.model.requests if "input" in one]
    assert len(json.dumps(request)) < 4_000
    assert not request.get("tools")
    assert "additional_tools" not in json.dumps(request["input"])
    assert "Be brief." in json.dumps(request)


def test_codex_answers_without_tools_that_run_commands_and_leaves_no_session(agents: RealAgents, project: Path) -> None:
    reply = model(agents, "codex:gpt-5-codex").complete(REQUEST)
    assert isinstance(reply, Reply), reply
    assert reply.text == "ready"
    assert reply.tokens is not None
    (request,) = [one for one in agents.model.requests if "input" in one]
    assert len(json.dumps(request)) < 5_000
    assert not {"shell", "exec_command", "apply_patch"} & {tool.get("name") for tool in request["tools"]}
    assert not (project.parent / "started").exists(), "no MCP server of the person is started"
    assert not list((agents.home / ".codex").rglob("rollout-*.jsonl"))
    assert list((state_of(project) / "spool").glob("*.json")) == []


def test_a_wrong_key_is_told_at_once(agents: RealAgents, project: Path) -> None:
    failure = model(agents, "claude-code:haiku", ANTHROPIC_API_KEY="").complete(REQUEST)
    assert isinstance(failure, Refused), failure


def test_the_check_and_the_setting_work_from_the_command_line(agents: RealAgents, project: Path) -> None:
    agents.metier(project, "config", "set", "model", "claude-code:haiku")
    agents.model.script = {"word 'seven'": [Step('{"word": "seven", "number": 7}')], **SCRIPT}
    said = agents.metier(project, "models", "check")
    assert "own login" in said
    assert "tokens, $0." in said
