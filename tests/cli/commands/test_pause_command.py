"""`metier pause` and `metier resume`: every command says that Metier is paused, and going on leaves nothing behind."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from states import state_of

if TYPE_CHECKING:
    from cli_shell import Shell

SAID = "Paused: agents are told nothing and nothing is learned. Go on: metier resume"


def user_file() -> Path:
    return Path(os.environ["HOME"]) / ".config/metier/metier.toml"


@pytest.mark.parametrize("words", [(), ("--everywhere",)])
def test_a_pause_is_told_by_what_one_looks_at(shell: Shell, words: tuple[str, ...]) -> None:
    line = " ".join((SAID, *words))
    shell.ok("pause", *words)
    assert line in shell.run("doctor").out
    for command in (("where",), ("lessons", "list"), ("runs", "list")):
        said = shell.run(*command)
        assert line in said.err.splitlines()
        assert line not in said.out
    assert f"Metier is paused (go on: {' '.join(('metier resume', *words))})" in shell.run("learn").err
    selected = shell.run("select", "ship the shop").err
    assert "Nothing is given: Metier is paused" in selected
    assert "No skill fits" not in selected
    values = shell.json("config")
    assert (values["paused"]["value"], values["enabled"]["value"]) == (True, False)
    assert values["paused"]["from"] == values["enabled"]["from"] != "default"
    shell.ok("resume", *words)
    assert "Paused" not in shell.ok("doctor") + shell.ok("where") + shell.ok("learn")


@pytest.mark.parametrize("words", [(), ("--everywhere",)])
def test_going_on_leaves_the_settings_as_they_were(shell: Shell, words: tuple[str, ...]) -> None:
    file = user_file() if words else state_of(shell.folder) / "metier.toml"
    shell.ok("pause", *words)
    assert file.exists()
    shell.ok("resume", *words)
    assert not file.exists()
    shell.ok("resume", *words)
    for before in ('mode = "draft"\n', "# mine\n\nmin_runs = 3\n"):
        file.write_text(before)
        shell.ok("pause", *words)
        shell.ok("resume", *words)
        assert file.read_text() == before


def test_going_on_here_says_what_else_holds_metier_back(shell: Shell) -> None:
    shell.ok("pause", "--everywhere")
    assert f"{SAID} --everywhere" in shell.ok("resume")
    shell.ok("resume", "--everywhere")
    file = state_of(shell.folder) / "metier.toml"
    file.write_text("enabled = false\n")
    said = shell.ok("resume")
    assert f"Switched off: agents are told nothing and nothing is learned. enabled = false is set by {file}." in said
