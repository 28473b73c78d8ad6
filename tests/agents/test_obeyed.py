"""The whole slice with the real agents: a correction becomes an approved rule that is visibly obeyed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from agent_model import AgentModel, Step, shell
from real_agents import RealAgents, real_agents
from states import state_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.agents

RULE = "Install packages with `uv pip install` instead of `pip install`."
CORRECTIONS = {
    "add requests to the project": "No, never run `pip install` in this project, always run `uv pip install` instead.",
    "add flask to the project": (
        "I told you before: don't run `pip install` in this project. From now on always run `uv pip install` instead."
    ),
}
AGAIN = {"claude": ("--continue",), "codex": ("resume", "--last")}
"""How each agent goes on with the session before."""
SCRIPT = {
    "add requests": [shell("pip install --dry-run ./requests"), Step("It is there.")],
    "add flask": [shell("pip install --dry-run ./flask"), Step("It is there.")],
    "`pip install`": [shell("uv pip install --dry-run ./requests"), Step("I use uv from now on.")],
    "add httpx": [Step("I will see.")],
    "add rich": [
        shell("touch ran-anyway && pip install --dry-run ./rich"),
        shell("touch ran-instead"),
        Step("Done the other way."),
    ],
}


@pytest.fixture
def agents(tmp_path: Path) -> Iterator[RealAgents]:
    with real_agents(tmp_path / "home", AgentModel(SCRIPT)) as found:
        yield found


@pytest.fixture
def project(tmp_path: Path, agents: RealAgents) -> Path:
    folder = tmp_path / "my proj & co"
    folder.mkdir()
    agents.metier(folder, "init", "--yes")
    (state_of(folder) / "metier.toml").write_text("record_headless = true\n")
    return folder


def data(agents: RealAgents, project: Path, *words: str) -> Any:
    return json.loads(agents.metier(project, *words, "--json"))


def said(agents: RealAgents, agent: str, project: Path, prompt: str, *more: str) -> list[str]:
    """The requests that the model gets for a prompt."""
    agents.model.requests.clear()
    (agents.claude if agent == "claude" else agents.codex)(project, prompt, *more)
    return agents.model.texts()


@pytest.mark.parametrize("agent", ["claude", "codex"])
def test_a_correction_is_approved_given_and_then_enforced_and_the_digest_tells_it(
    agents: RealAgents, project: Path, agent: str
) -> None:
    for request, correction in CORRECTIONS.items():
        said(agents, agent, project, request)
        said(agents, agent, project, correction, *AGAIN[agent])
    agents.metier(project, "learn")
    [rule] = [one for one in data(agents, project, "lessons", "list") if one["kind"] == "rule"]
    assert "never run `pip install` in this project" in rule["text"]
    assert "uv pip" not in said(agents, agent, project, "add httpx to the project")[0]

    agents.metier(project, "lessons", "edit", rule["id"], RULE)
    told = agents.metier(project, "lessons", "approve", rule["id"])
    assert f"metier lessons approve {rule['id'][:8]} --remind (or --deny)" in told
    first = said(agents, agent, project, "add httpx to the project")[0]
    assert "Standing instructions of the person" in first
    assert RULE in first

    agents.metier(project, "lessons", "approve", rule["id"], "--deny")
    texts = said(agents, agent, project, "add rich to the project")
    assert RULE not in texts[0], "one channel a lesson"
    assert "Not run. Standing instruction of the person:" in texts[1]
    assert RULE in texts[1]
    assert not (project / "ran-anyway").exists()
    assert (project / "ran-instead").exists()

    runs = data(agents, project, "runs", "list")
    given, denied = (
        data(agents, project, "runs", "show", next(one["id"] for one in runs if one["message"].startswith(words)))
        for words in ("add httpx", "add rich")
    )
    assert [one["how"] for one in given["lessons_told"]] == ["start"]
    assert [one["how"] for one in denied["lessons_told"]] == ["deny"]
    assert [tool["ok"] for tool in denied["run"]["tools"]] == [False, True]
    assert RULE in agents.metier(project, "runs", "show", denied["id"])
    assert "1 wrong call was denied" in agents.metier(project, "digest")
    assert "1 call denied since you approved it" in agents.metier(project, "lessons", "show", rule["id"])
