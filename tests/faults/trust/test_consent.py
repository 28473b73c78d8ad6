"""Consent: one yes, typed in a terminal, for this project, person, provider and kind; nothing else gives it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from allowing import allow
from cli_shell import Shell
from mcp_talk import Talk
from terminal import answered

from metier.context.models.access import asker_of, may_send
from metier.context.models.consent import FILES, consents, has_consent, named_recipient, withdraw_consent
from metier.errors import UsageError
from metier.models.spec import ModelOptions, parse_spec
from metier.types import Run
from metier.types.questions import NoModel
from metier.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

MODEL = "openai:m"
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a model and one session."""
    monkeypatch.setenv("METIER_MODEL", MODEL)
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-real-key")
    folder = tmp_path / "shop"
    folder.mkdir()
    with Workspace.open(folder) as ws:
        ws.deliver([Run(message=f"log in with {SECRET}", output="done", status="completed")])
    return folder


def allowed(folder: Path) -> list[tuple[str, str]]:
    with Workspace.open(folder) as ws:
        return [(one.provider, one.kind) for one in consents(ws.context)]


@pytest.mark.parametrize(
    ("words", "given"),
    [
        (("models", "allow"), ("openai", "model")),
        (("models", "allow", "question-files"), ("question-files", "files")),
        (("config", "set", "send_sessions", "true"), ("openai", "model")),
        (("config", "set", "send_sessions", "anthropic"), ("anthropic", "model")),
        (("config", "set", "send_sessions", "claude-code"), ("claude-code", "agent")),
    ],
)
def test_a_yes_in_a_terminal_shows_what_is_sent_and_is_for_one_recipient(
    shop: Path, words: tuple[str, ...], given: tuple[str, str]
) -> None:
    assert answered(shop, "n", *words)[0] == 1
    assert allowed(shop) == []
    code, screen = answered(shop, "y", *words)
    assert (code, "log in with [REDACTED" in screen, SECRET in screen) == (0, True, False)
    assert f"May it go to {given[0]} from now on?" in screen
    assert "Undo: metier config unset send_sessions" in screen
    assert allowed(shop) == [given]
    with Workspace.open(shop) as ws:
        assert may_send(ws.context) == (given[0] == "openai")
        assert isinstance(asker_of(ws.context), NoModel) == (given[0] != "openai")
    assert answered(shop, "y", "config", "unset", "send_sessions")[0] == 0
    assert allowed(shop) == []


@pytest.mark.parametrize("variable", ["CLAUDECODE", "AI_AGENT", "CODEX_THREAD_ID", "COPILOT_CLI"])
def test_a_terminal_that_an_agent_opened_gives_none(shop: Path, variable: str) -> None:
    code, screen = answered(shop, "y", "models", "allow", **{variable: "1"})
    assert (code, "a terminal that no agent opened" in screen) == (1, True)
    assert allowed(shop) == []


def test_no_option_no_variable_and_no_tool_gives_one(
    shop: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shell = Shell(shop, monkeypatch, capsys)
    for words, code in (
        (("models", "allow"), 1),
        (("models", "allow", "--yes"), 2),
        (("config", "set", "send_sessions", "true"), 1),
        (("--set", "send_sessions=true", "learn"), 2),
        (("init", "--yes", "--send-sessions"), 2),
        (("init", "--yes", "--model", "openai:m"), 0),
    ):
        assert shell.run(*words).code == code, words
    with Talk(shop) as talk:
        tools = [one["name"] for one in talk.ask("tools/list")["result"]["tools"]]
        assert sorted(tools) == ["lessons", "mark", "propose", "runs", "select", "skill"]
    monkeypatch.setenv("METIER_SEND_SESSIONS", "true")
    assert shell.run("learn").code == 2
    monkeypatch.delenv("METIER_SEND_SESSIONS")
    assert allowed(shop) == []


def test_a_yes_is_this_projects_and_this_persons_and_it_can_be_taken_back(shop: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    with Workspace.open(shop) as ws, Workspace.open(tmp_path / "other") as other:
        allow(ws)
        assert (may_send(ws.context), may_send(other.context)) == (True, False)
        assert not may_send(replace(ws.context, key=b"x" * 32))
        assert not may_send(replace(ws.context, key=b""))
        assert not has_consent(ws.context, FILES)
        assert [one.provider for one in withdraw_consent(ws.context)] == ["openai"]
        assert not may_send(ws.context)


def test_a_provider_at_another_address_is_another_recipient() -> None:
    own = parse_spec(MODEL)
    gateway = parse_spec(MODEL, ModelOptions(url="https://Gateway.example:8443/v1"))
    assert named_recipient("true", own).provider == "openai"
    assert named_recipient("true", gateway).provider == "openai@gateway.example:8443"
    assert named_recipient("openai@gateway.example:8443", gateway) == named_recipient("openai", gateway)
    assert named_recipient("openai@gateway.example:8443", own) == named_recipient("true", gateway)
    assert named_recipient("openai:m@https://gateway.example:8443/v1", own) == named_recipient("true", gateway)
    assert named_recipient("codex", own).kind == "agent"
    for wrong, configured in (("true", None), ("opnai", own), ("", own)):
        with pytest.raises(UsageError):
            named_recipient(wrong, configured)
