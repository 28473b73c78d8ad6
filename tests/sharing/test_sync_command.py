"""`metier sync`: a branch in git is the one way to share; by a server nothing is shared."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest
from cli_shell import Shell
from server_world import serve_workspace
from sharing_world import make_project

from metier.cli.commands.fleet.sync import OFF

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("words", [(), ("--branch", "x"), ("--json",)])
def test_sharing_by_a_server_is_off_and_one_line_names_the_way_by_git(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    said = Shell(tmp_path, monkeypatch, capsys).run("sync", *words)
    assert (said.code, said.out, said.err) == (1, "", f"metier: {OFF}\n")


@pytest.mark.parametrize("words", [("join", "https://metier.example"), ("leave",), ("status",)])
def test_there_is_no_server_to_join(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    assert Shell(tmp_path, monkeypatch, capsys).run("sync", *words).code == 2


def test_the_server_hands_out_nothing_that_was_approved(tmp_path: Path) -> None:
    with serve_workspace(make_project(tmp_path / "server")) as served:
        for role in served.tokens:
            for path in ("/v1/sync", f"/v1/sync/objects/{'0' * 64}"):
                answer = served.ask("GET", path, served.bearer(role))
                assert (answer.status, "Stage only" in answer.text) == (404, False), role


def test_a_branch_by_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ws = make_project(tmp_path / "server")
    ws.close()
    monkeypatch.setenv("HOME", str(tmp_path / "home-server"))
    shell = Shell(ws.root, monkeypatch, capsys)
    assert "git repository" in shell.run("sync", "--git").err
    for words in (
        ("init", "-q"),
        ("-c", "user.name=A", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x"),
    ):
        subprocess.run(["git", "-C", str(ws.root), *words], check=True, timeout=30)
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "Ada")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "ada@example.org")
    made = shell.json("sync", "--git", "--branch", "metier/june")
    assert (made["branch"], made["skills"], made["lessons"]) == ("metier/june", ["write-notes"], 1)
