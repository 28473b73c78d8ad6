"""Before the first rollout an agent is tried once: a clear error, and nothing was spent."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest
from cli_shell import Shell

from metier.errors import RefusedError, UsageError
from metier.training.service.order import TrainLimits
from metier.training.targets.agent_output import read
from metier.training.targets.command import agent_target
from metier.training.targets.preflight import problem_of
from metier.training.targets.target import Attempt, Broken
from metier.types.trials import Case
from metier.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

CASES = tuple(Case(id=f"c{number}", input=f"say yes {number}", expected="yes") for number in range(3))
SKILL = "---\nname: yes\ndescription: Says yes. Use when asked.\n---\n\n# Yes\n\nSay yes.\n"
NOTED = "import sys; open({calls!r}, 'a').write(repr(sys.argv[1:]) + '\\n')\n"


class Shop:
    """A project with a skill, and a program that is called like Claude Code and notes each call."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.tools = folder / "project", folder / "tools"
        self.calls = self.tools / "calls"
        for place in (self.tools, self.folder / ".agents/skills/yes"):
            place.mkdir(parents=True)
        (self.folder / ".agents/skills/yes/SKILL.md").write_text(SKILL)
        rows = [{"id": case.id, "input": case.input, "expected": case.expected} for case in CASES]
        (self.folder / "cases.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))

    def install(self, body: str) -> None:
        program = self.tools / "claude"
        program.write_text(f"#!{sys.executable} -I\n{NOTED.format(calls=str(self.calls))}{body}\n")
        program.chmod(0o755)

    def made(self) -> list[str]:
        return self.calls.read_text().splitlines() if self.calls.exists() else []

    def evaluate(self, **asked: float) -> int:
        with Workspace.open(self.folder) as ws:
            limits = TrainLimits(usd="5")
            return ws.evaluate("yes", "none", cases=CASES, target="agent=claude-code", limits=limits, **asked).rollouts  # type: ignore[arg-type]


def result(text: str, *, is_error: bool = False) -> str:
    said = {"type": "result", "result": text, "total_cost_usd": 0.01, "is_error": is_error}
    return f"print({json.dumps(said)!r})"


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shop:
    made = Shop(tmp_path)
    monkeypatch.setenv("PATH", f"{made.tools}:/usr/bin:/bin")
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    return made


def test_an_agent_that_is_not_installed_is_told_before_anything_runs(shop: Shop) -> None:
    with pytest.raises(RefusedError, match=r"Nothing was run: claude does not work .* not on the PATH.*Install claude"):
        shop.evaluate()


def test_an_agent_that_is_not_logged_in_is_asked_once_only(shop: Shop) -> None:
    shop.install(result("Not logged in · Please run /login", is_error=True))
    with pytest.raises(RefusedError, match=r"Please run /login.*Set ANTHROPIC_API_KEY or .*, or add --login"):
        shop.evaluate()
    assert len(shop.made()) == 1
    assert "'--tools', ''" in shop.made()[0]


def test_an_agent_that_waits_for_its_address_is_ended_and_quoted(shop: Shop) -> None:
    shop.install("import time\nprint('Connection refused, waiting', file=sys.stderr, flush=True)\ntime.sleep(60)")
    with pytest.raises(RefusedError, match=r"still running after 0\.7 s; the last it said was: Connection refused"):
        shop.evaluate(seconds=0.7)
    assert len(shop.made()) == 1


def test_rollouts_that_are_known_need_no_agent(shop: Shop) -> None:
    shop.install(result("yes"))
    assert shop.evaluate() == 6
    assert len(shop.made()) == 7
    (shop.tools / "claude").unlink()
    assert shop.evaluate() == 0


def test_a_training_that_cannot_begin_leaves_nothing_behind(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shop.install(result("Credit balance is too low", is_error=True))
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    cases = ("--cases", str(shop.folder / "cases.jsonl"))
    with Workspace.open(shop.folder):
        pass
    shell = Shell(shop.folder, monkeypatch, capsys)
    said = shell.run("train", "yes", *cases, "--target", "agent=claude-code", "--optimiser", "openai:x")
    assert said.code == 1, said.err
    assert "Nothing was run: claude does not work as the target" in said.err
    assert "Credit balance is too low" in said.err
    assert len(shop.made()) == 1
    assert shell.json("train", "list") == []


def test_login_is_an_option_of_commands_with_an_agent(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with Workspace.open(shop.folder):
        pass
    shell, file = Shell(shop.folder, monkeypatch, capsys), str(shop.folder / "cases.jsonl")
    said = shell.run("eval", "yes", "--cases", file, "--login")
    assert (said.code, "--login is for an agent" in said.err) == (2, True)
    said = shell.run("eval", "yes", "--cases", file, "--target", "agent=claude-code", "--login")
    assert (said.code, "There is no login of claude-code" in said.err) == (2, True)


def test_codex_takes_an_address_as_options_and_a_login_brings_its_own(tmp_path: Path) -> None:
    environ = {"OPENAI_BASE_URL": 'http://127.0.0.1:1/"v1', "CODEX_API_KEY": "k", "HOME": str(tmp_path)}
    words = agent_target("codex -m gpt-5", environ).words
    assert words[2:4] == ("-c", 'model_provider="metier"')
    assert 'base_url="http://127.0.0.1:1/\\"v1"' in words[5]
    assert 'env_key="CODEX_API_KEY"' in words[5]
    assert words[6:8] == ("-m", "gpt-5")
    (tmp_path / ".codex").mkdir()
    (tmp_path / ".codex/auth.json").write_text("{}")
    assert not any("model_provider" in word for word in agent_target("codex --login", environ).words)
    with pytest.raises(UsageError, match="no login of gemini"):
        agent_target("gemini --login", environ)


def test_gemini_finds_how_it_is_logged_in(tmp_path: Path) -> None:
    program = tmp_path / "gemini"
    said = "print(json.dumps({'type': 'message', 'role': 'assistant', 'content': text}))"
    text = "text = json.load(open(os.path.expanduser('~/.gemini/settings.json')))['security']['auth']['selectedType']"
    end = "print(json.dumps({'type': 'result', 'status': 'success'}))"
    program.write_text(f"#!{sys.executable} -I\nimport json, os\n{text}\n{said}\n{end}\n")
    program.chmod(0o755)
    attempt = agent_target("gemini", {"PATH": f"{tmp_path}:/usr/bin:/bin"}).run(CASES[0], None, 0)
    assert isinstance(attempt, Attempt), attempt
    assert attempt.output == "gemini-api-key"


def test_codex_that_lost_its_connection_and_found_it_again_has_answered() -> None:
    events = [
        {"type": "error", "message": "Reconnecting... 1/5"},
        {"type": "item.completed", "item": {"type": "agent_message", "text": "yes"}},
        {"type": "turn.completed", "usage": {"input_tokens": 4}},
    ]
    story = read("\n".join(map(json.dumps, events)), "codex")
    assert (story.answer, story.problem) == ("yes", "")


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (Attempt(output=" "), "it answered with nothing"),
        (Broken(reason="exit code 1: x"), "exit code 1: x. Check the key, the address and the options of codex"),
        (Broken(reason="the budget of $1 could be passed", spent=True), "Nothing was run: the budget of $1"),
    ],
)
def test_each_problem_has_its_own_words(answer: Attempt | Broken, told: str) -> None:
    assert told in problem_of(agent_target("codex", {"OPENAI_API_KEY": "k"}), answer)
