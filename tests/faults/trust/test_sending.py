"""Text of sessions goes to no model without a yes, on no path; what a person writes is their own."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from allowing import allow
from cli_shell import Shell, bumps
from loopback import Loopback, answers, completion
from mcp_talk import Talk
from selection_shop import FLAKY, put, stocked

from metier.store.tables import audit
from metier.types.trials import Case
from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CASES = [{"id": str(n), "input": f"{n} + 1", "expected": str(n + 1)} for n in range(4)]


@pytest.fixture
def server() -> Iterator[Loopback]:
    with Loopback(answers(completion([]))) as opened:
        yield opened


@pytest.fixture
def shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], server: Loopback
) -> Shell:
    """A workspace with skills, a model and an embedder, and no yes."""
    folder = tmp_path / "shop"
    folder.mkdir()
    with Workspace.open(folder) as ws:
        stocked(ws)
        put(ws, "adder", "Adds numbers. Use for sums.", "Add them.")
        ws.deliver(bumps())
    for part in ("MODEL", "EMBED"):
        monkeypatch.setenv(f"METIER_{part}_URL", server.url)
        monkeypatch.setenv(f"METIER_{part}_KEY", "none")
    monkeypatch.setenv("METIER_SELECT_TIMEOUT", "0.5")
    monkeypatch.setenv("METIER_MODEL", "openai:some-model")
    monkeypatch.setenv("METIER_EMBED_MODEL", "openai:some-embedder")
    return Shell(folder, monkeypatch, capsys)


def _cases(folder: Path, **more: str) -> str:
    file = folder / "cases.jsonl"
    file.write_text("".join(json.dumps({**case, **more}) + "\n" for case in CASES), encoding="utf-8")
    return str(file)


def test_a_task_that_a_person_typed_goes_to_the_model_they_set(shell: Shell, server: Loopback) -> None:
    said = shell.run("select", FLAKY)
    assert said.err.startswith("Model openai:some-model: price unknown: at most 100 calls today, 0 made.")
    assert len(server.seen) >= 2


def test_a_task_from_an_agent_and_one_without_a_model_stay_here(shell: Shell, server: Loopback) -> None:
    with Talk(shell.folder) as talk:
        assert "flaky" in talk.call("select", task=FLAKY)
    shell.ok("select", FLAKY, "--no-model")
    assert server.seen == []


@pytest.mark.parametrize("command", [("learn",), ("--set", "mode=draft", "watch", "--once")])
def test_learning_sends_nothing_and_says_what_it_waits_for(
    shell: Shell, server: Loopback, command: tuple[str, ...]
) -> None:
    said = shell.run(*command)
    assert (said.code, "metier models allow" in said.out + said.err) == (0, True)
    assert server.seen == []


@pytest.mark.parametrize("command", [("checkup",), ("import",), ("runs", "list"), ("lessons", "list"), ("doctor",)])
def test_looking_at_sessions_sends_nothing(shell: Shell, server: Loopback, command: tuple[str, ...]) -> None:
    shell.run(*command)
    assert server.seen == []


def test_a_yes_to_one_address_is_none_to_another(shell: Shell, server: Loopback) -> None:
    with Workspace.open(shell.folder, flags={"model_url": "http://127.0.0.1:9/v1"}) as ws:
        allow(ws)
    shell.run("learn")
    assert server.seen == []
    with Workspace.open(shell.folder) as ws:
        allow(ws)
    shell.run("learn")
    assert server.seen


@pytest.mark.parametrize("command", ["train", "eval"])
def test_cases_made_from_runs_are_refused_without_a_yes(shell: Shell, server: Loopback, command: str) -> None:
    said = shell.run(command, "adder", "--cases", _cases(shell.folder, origin="run 5d138095"))
    assert (said.code, "4 of 4 cases come from recorded runs" in said.err) == (1, True)
    assert f"metier models allow openai@{server.url.split('/')[2]}" in said.err
    assert server.seen == []


def own_agent(case: Case, _: str) -> str:
    return case.expected


def test_a_program_that_passes_its_own_agent_and_model_has_agreed_for_that_call(shell: Shell, server: Loopback) -> None:
    cases = [Case(id=str(n), input=f"{n} + 1", expected=str(n + 1), origin="run 5d138095") for n in range(4)]
    with Workspace.open(shell.folder, flags={"model": ""}) as ws:
        ws.evaluate("adder", "none", cases=cases, target=own_agent)
        with ws.context.store.read() as transaction:
            (entry,) = [one for one in audit.list_own(transaction) if one.action == "allow sending sessions"]
    assert (entry.subject, entry.reason) == ("cases to own_agent", "by program, for this call")
    assert server.seen == []


def test_cases_of_ones_own_are_evaluated_and_the_budget_is_said_first(shell: Shell, server: Loopback) -> None:
    said = shell.run("eval", "adder", "--cases", _cases(shell.folder), "--against", "none", "--target", "chat")
    assert said.err.startswith("Model openai:some-model: price unknown: at most 100 calls today, 0 made.")
    assert server.seen


def test_watch_says_the_budget_first(shell: Shell) -> None:
    with Workspace.open(shell.folder) as ws:
        allow(ws)
    first = shell.run("--set", "mode=draft", "watch", "--once").err.splitlines()[0]
    assert "Model openai:some-model: price unknown: at most 100 calls today" in first


def test_a_model_that_only_the_command_names_is_in_its_budget_line(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, server: Loopback
) -> None:
    monkeypatch.delenv("METIER_MODEL")
    named = f"chat=openai:other@{server.url}"
    said = shell.run("eval", "adder", "--cases", _cases(shell.folder), "--against", "none", "--target", named)
    assert said.err.startswith("Model openai:other: price unknown: at most 100 calls today, 0 made.")
