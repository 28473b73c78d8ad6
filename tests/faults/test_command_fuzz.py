"""The whole command line with hostile words: exit 0, 1 or 2, never a traceback, never a hang."""

from __future__ import annotations

import io
import os
import random
import signal
import sys
from typing import TYPE_CHECKING, Any, cast

import pytest
import typer
from cli_shell import bumps
from selection_shop import SKILLS, put
from states import state_of
from sweep import METIER, run

from metier.cli.app import COMMANDS, LazyCommands, app
from metier.cli.app import run as command_line
from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LONG = ("demo", "watch", "mcp", "ui", "serve")
"""Commands that do not end by themselves, or take long: they get hostile options and no others."""
WORDS = [
    *(
        "",
        " ",
        "-",
        "--",
        "-1",
        "0",
        "1",
        "99999999999999999999",
        "1e999",
        "nan",
        "true",
        "deploy",
        "flaky-tests",
        "bump",
    ),
    *("../../etc/passwd", "/dev/null", "/dev/null/x", "~", ".", "..", "a/b", "x" * 5000, "\n", "\t", "a\nb", "%s%n"),
    *(
        "\x1b[31m",
        "\u202e",
        "\U0001d173",
        "\ufeff",
        "é",
        "日本語",
        "🦊",
        "'; DROP TABLE runs; --",
        "$(id)",
        "`id`",
        "*",
        "?[",
    ),
    *(
        "mode=apply",
        "mode=",
        "=x",
        "x",
        "store=postgresql://",
        "select_budget=1e9",
        "a:b",
        "10%",
        "{",
        "[]",
        '{"a": 1}',
    ),
    *("claude-code", "codex", "jsonl", "none", "SKILL.md", "cases.jsonl", "no-such-command", "--no-such-option"),
    os.fsdecode(b"\xff\xfe"),
    "\ud800",
]
BUG = "This is a bug in Metier"


def leaves(group: Any, ctx: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    """Every command with its options."""
    for name in group.list_commands(ctx):
        command = group.get_command(ctx, name)
        options = [word for one in command.params for word in one.opts if word.startswith("-")]
        if hasattr(command, "list_commands"):
            yield from leaves(command, ctx, (*path, name))
        yield (*path, name), options


def all_commands() -> list[tuple[tuple[str, ...], list[str]]]:
    group = typer.main.get_command(app)
    assert isinstance(group, LazyCommands)
    found = list(leaves(group, cast("Any", typer).Context(group) if hasattr(typer, "Context") else None))
    assert {path[0] for path, _ in found} == set(COMMANDS)
    return found


def call(chance: random.Random, commands: list[tuple[tuple[str, ...], list[str]]]) -> list[str]:
    """The words of one call."""
    path, options = chance.choice(commands)
    words = list(path)
    if path[0] in LONG:
        return [*words, "--no-such-option", chance.choice(WORDS)]
    for _ in range(chance.randrange(4)):
        kind = chance.random()
        words += [chance.choice(options)] if options and kind < 0.5 else [chance.choice(WORDS)]
    if chance.random() < 0.2:
        words = ["--set", chance.choice(WORDS), *words]
    return [word for word in words if "\0" not in word]


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A workspace with something of everything."""
    folder = tmp_path / "shop"
    folder.mkdir()
    with Workspace.open(folder) as ws:
        ws.deliver(bumps())
        for name, (description, body) in SKILLS.items():
            put(ws, name, description, body)
        for _ in ws.learn():
            pass
    return folder


def stopped(_signal: int, _frame: object) -> None:
    raise AssertionError("the command hangs")


def in_process(
    shop: Path, count: int, seed: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    chance, commands = random.Random(seed), all_commands()
    monkeypatch.chdir(shop)
    before = signal.signal(signal.SIGALRM, stopped)
    stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(os.devnull)))
    monkeypatch.setattr(sys, "stdin", stdin)
    try:
        for _ in range(count):
            words = call(chance, commands)
            monkeypatch.setattr(sys, "argv", ["metier", "-w", str(shop), *words])
            capsys.readouterr()
            signal.alarm(60)
            with pytest.raises(SystemExit) as end:
                command_line()
            signal.alarm(0)
            said = capsys.readouterr()
            assert end.value.code in (0, 1, 2, None), (words, said.err)
            assert "Traceback" not in said.err, words
            assert BUG not in said.err, (words, said.err)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
        stdin.close()


def test_a_few_hundred_hostile_calls_end_plainly(
    shop: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    in_process(shop, 200, 1, monkeypatch, capsys)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 8))
def test_thousands_of_hostile_calls_end_plainly(
    shop: Path, seed: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    in_process(shop, 800, seed, monkeypatch, capsys)


@pytest.mark.slow
def test_hostile_calls_as_processes_end_plainly(shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shop)  # a word may be the name of a file to write
    chance, commands = random.Random(9), all_commands()
    home = {"HOME": str(tmp_path / "home"), "XDG_CONFIG_HOME": str(tmp_path / "home" / ".config")}
    home["METIER_HOME"] = str(state_of(shop).parent)
    for _ in range(200):
        words = [word for word in call(chance, commands) if word != "\ud800"]
        ended = run([METIER, "-w", str(shop), *words], **home)
        assert ended.code in (0, 1, 2), (words, ended)
        assert "Traceback" not in ended.err, words
        assert BUG not in ended.err, (words, ended.err)
