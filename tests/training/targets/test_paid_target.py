"""What an agent as the target spends counts against the budget and in the sums."""

from __future__ import annotations

import json
import sys
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from metier.errors import MetierError, UsageError
from metier.models.ledger import Limits, MemoryLedger
from metier.training.service.order import TrainLimits
from metier.training.targets.command import agent_target
from metier.training.targets.paid import PaidTarget
from metier.training.targets.target import Attempt, Broken
from metier.types import Tokens
from metier.types.trials import Case
from metier.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

    from metier.skills.package import Package

CASE = Case(id="c1", input="say yes")


class Costly:
    """A target whose attempts cost nine cents."""

    identity = "costly"

    def __init__(self, *results: Attempt | Broken) -> None:
        self.results = results
        self.runs = 0

    def run(self, case: Case, skill: Package | None, sample: int) -> Attempt | Broken:
        self.runs += 1
        paid = Attempt(output="yes", tokens=Tokens(input=12_000, output=8), cost_usd=0.09)
        return self.results[self.runs - 1] if self.runs <= len(self.results) else paid


def test_an_attempt_that_could_pass_the_limit_is_not_made() -> None:
    target = Costly()
    paid = PaidTarget(target, MemoryLedger(), Limits(usd=Decimal("0.01")), tells_cost=True)
    refused = paid.run(CASE, None, 0)
    assert isinstance(refused, Broken)
    assert refused.spent
    assert "budget of $0.01 could be passed" in refused.reason
    assert target.runs == 0


def test_what_attempts_took_is_summed_up_and_ends_the_run() -> None:
    target, ledger = Costly(), MemoryLedger()
    paid = PaidTarget(target, ledger, Limits(usd=Decimal("0.40")), tells_cost=True)
    made = [paid.run(CASE, None, sample) for sample in range(6)]
    assert [isinstance(one, Attempt) for one in made] == [True, True, True, False, False, False]
    assert (ledger.total().usd, ledger.total().tokens, target.runs) == (Decimal("0.27"), 36_024, 3)


def test_an_attempt_that_never_began_costs_nothing_and_one_that_hung_like_the_dearest() -> None:
    target = Costly(
        Broken(reason="not on the PATH", again=False), Attempt(output="x", cost_usd=0.09), Broken(reason="hung")
    )
    ledger = MemoryLedger()
    paid = PaidTarget(target, ledger, Limits(), tells_cost=True)
    for sample in range(3):
        paid.run(CASE, None, sample)
    assert ledger.total().usd == Decimal("0.18")


def test_without_a_cost_nothing_is_tried_where_nothing_may_be_spent() -> None:
    paid = PaidTarget(Costly(), MemoryLedger(), Limits(usd=Decimal(0)), tells_cost=False)
    refused = paid.run(CASE, None, 0)
    assert isinstance(refused, Broken)
    assert "price is unknown" in refused.reason
    tokens = PaidTarget(Costly(), MemoryLedger(), Limits(tokens=100_000), tells_cost=False)
    assert isinstance(tokens.run(CASE, None, 0), Attempt)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a skill, and a small program that is called like Claude Code and says that it took nine cents."""
    tools, folder = tmp_path / "tools", tmp_path / "project"
    usage = {"input_tokens": 12_000, "output_tokens": 8}
    said = {"type": "result", "result": "yes", "total_cost_usd": 0.09, "usage": usage, "is_error": False}
    for place in (tools, folder / ".agents/skills/yes"):
        place.mkdir(parents=True)
    (tools / "claude").write_text(f"#!{sys.executable} -I\nprint({json.dumps(said)!r})\n")
    (tools / "claude").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:/usr/bin:/bin")
    text = "---\nname: yes\ndescription: Says yes. Use when asked.\n---\n\n# Yes\n\nSay yes.\n"
    (folder / ".agents/skills/yes/SKILL.md").write_text(text)
    return folder


def cases() -> tuple[Case, ...]:
    return tuple(Case(id=f"c{number}", input=f"say yes {number}", expected="yes") for number in range(3))


def test_an_evaluation_reports_what_its_agent_spent(project: Path) -> None:
    with Workspace.open(project) as ws:
        done = ws.evaluate("yes", "none", cases=cases(), target="agent=claude-code", limits=TrainLimits(usd="5"))
    assert (done.rollouts, done.spent.usd, done.spent.tokens) == (6, Decimal("0.63"), 7 * 12_008)


def test_a_budget_of_a_cent_buys_no_rollout_of_nine(project: Path) -> None:
    with Workspace.open(project) as ws, pytest.raises(MetierError, match=r"budget of \$0.01 could be passed"):
        ws.evaluate("yes", "none", cases=cases(), target="agent=claude-code", limits=TrainLimits(usd="0.01"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("claude-code --model haiku", ["claude", "--model", "haiku", "-p"]),
        ("codex -m 'gpt 5'", ["codex", "exec", "-m", "gpt 5", "--json"]),
        ("opencode --model x/y", ["opencode", "run", "--model", "x/y", "{task}"]),
    ],
)
def test_words_behind_an_agents_name_are_its_options(text: str, words: list[str]) -> None:
    assert list(agent_target(text, {}).words[: len(words)]) == words


def test_an_agent_is_started_without_updates_retries_and_recording(tmp_path: Path) -> None:
    names = ("METIER_ENABLED", "CLAUDE_CODE_MAX_RETRIES", "DISABLE_AUTOUPDATER")
    said = (
        f"import json, os; print(json.dumps({{'type': 'result', 'result': str([os.environ[n] for n in {names!r}])}}))"
    )
    (tmp_path / "claude").write_text(f"#!{sys.executable} -I\n{said}\n")
    (tmp_path / "claude").chmod(0o755)
    attempt = agent_target("claude-code", {"PATH": f"{tmp_path}:/usr/bin:/bin"}).run(CASE, None, 0)
    assert isinstance(attempt, Attempt), attempt
    assert attempt.output == "['false', '1', '1']"


def test_quotes_that_do_not_close_are_told() -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        agent_target("codex 'x", {})


def test_the_persons_login_is_there_only_when_asked_for(tmp_path: Path) -> None:
    said = "import json, os; place = os.path.expanduser('~/.claude/.credentials.json')\n"
    said += "mode = oct(os.stat(place).st_mode)[-3:] if os.path.exists(place) else 'none'\n"
    (tmp_path / "claude").write_text(
        f"#!{sys.executable} -I\n{said}print(json.dumps({{'type': 'result', 'result': mode}}))\n"
    )
    (tmp_path / "claude").chmod(0o755)
    environ = {"PATH": f"{tmp_path}:/usr/bin:/bin", "HOME": str(tmp_path / "me")}
    with pytest.raises(UsageError, match="no login of claude-code"):
        agent_target("claude-code --login", environ)
    (tmp_path / "me/.claude").mkdir(parents=True)
    (tmp_path / "me/.claude/.credentials.json").write_text("{}")
    found = [agent_target(text, environ).run(CASE, None, 0) for text in ("claude-code", "claude-code --login")]
    assert [one.output if isinstance(one, Attempt) else one.reason for one in found] == ["none", "600"]
