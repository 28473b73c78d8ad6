"""Claude Code and Codex themselves as the target of an evaluation: what they spend counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from agent_model import AgentModel, Step
from real_agents import RealAgents, real_agents
from selection_shop import put

from metier.errors import RefusedError
from metier.training.service.order import TrainLimits
from metier.types.trials import Case
from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.agents
CASES = tuple(Case(id=f"c{number}", input=f"Say yes {number}", expected="yes") for number in range(2))


@pytest.fixture
def agents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[RealAgents]:
    with real_agents(tmp_path / "home", AgentModel({"Say yes": [Step("yes")]})) as found:
        for name, value in found.environ().items():
            monkeypatch.setenv(name, value)
        yield found


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    with Workspace.open(folder) as ws:
        put(ws, "say-yes", "Says yes. Use when asked to say yes.", "Say yes.")
    return folder


def test_what_claude_code_spends_is_in_the_sum(agents: RealAgents, project: Path) -> None:
    with Workspace.open(project) as ws:
        done = ws.evaluate("say-yes", "none", cases=CASES, target="agent=claude-code", limits=TrainLimits(usd="5"))
    assert done.rollouts == 4
    assert {one.output for one in (*done.mine, *done.theirs)} == {"yes"}
    assert done.spent.usd > 0
    assert not done.spent.unpriced
    assert done.spent.tokens > 4 * 1_000


def test_codex_runs_with_the_persons_own_address_and_login(agents: RealAgents, project: Path) -> None:
    settings = [f"{word}\n" for word in agents.codex_words() if "=" in word]
    (agents.home / ".codex/config.toml").write_text("".join(settings))
    target = "agent=codex --login -m gpt-5-codex"
    with Workspace.open(project) as ws:
        done = ws.evaluate("say-yes", "none", cases=CASES, target=target, limits=TrainLimits(tokens=1_000_000))
    assert {one.output for one in (*done.mine, *done.theirs)} == {"yes"}
    assert done.spent.tokens > 4 * 500
    assert done.spent.cost_usd is None


def test_codex_runs_at_the_address_of_the_environment(
    agents: RealAgents, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", f"{agents.model.url}/v1")
    with Workspace.open(project) as ws:
        done = ws.evaluate("say-yes", "none", cases=CASES, target="agent=codex -m gpt-5-codex")
    assert {one.output for one in (*done.mine, *done.theirs)} == {"yes"}
    sizes = [len(text) for text in agents.model.texts()]
    assert min(sizes) < 5_000, "the call before the first rollout is a small one"
    assert len(sizes) == 5


def test_the_call_before_the_first_rollout_of_claude_code_is_small(agents: RealAgents, project: Path) -> None:
    with Workspace.open(project) as ws:
        ws.evaluate("say-yes", "none", cases=CASES, target="agent=claude-code")
    first = next(text for text in agents.model.texts() if "one word: ready" in text)
    assert len(first) < 5_000


@pytest.mark.parametrize("target", ["agent=claude-code", "agent=codex -m gpt-5-codex"])
def test_an_address_that_does_not_answer_is_told_before_the_first_rollout(
    target: str, agents: RealAgents, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    with Workspace.open(project) as ws, pytest.raises(RefusedError, match=r"Nothing was run: .* does not work") as told:
        ws.evaluate("say-yes", "none", cases=CASES, target=target, seconds=8)
    assert "onnect" in str(told.value), "it says that the connection failed"
    assert agents.model.requests == []
