"""Two machines and a server, as people use them: tokens, joining, syncing, leaving, a branch in git."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from cli_shell import Shell
from server_world import serve_workspace
from sharing_world import document_of, make_server, open_machine, ship

from metier.cli.commands.fleet.sync import TOKEN

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_join_sync_and_leave(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    server = make_server(tmp_path / "server")
    machine = open_machine(tmp_path / "machine")
    machine.close()
    at_server = Shell(server.root, monkeypatch, capsys)
    here = Shell(tmp_path / "machine", monkeypatch, capsys)
    with serve_workspace(server) as served:
        monkeypatch.setenv("HOME", str(tmp_path / "home-server"))
        key = at_server.json("serve", "key")["key"]
        made = at_server.json("serve", "token", "add", "laptop", "--role", "machine")
        assert at_server.json("serve", "token", "list")[-1] == {k: v for k, v in made.items() if k != "text"}
        assert made["text"] not in at_server.ok("serve", "token", "list")
        monkeypatch.setenv("HOME", str(tmp_path / "home-machine"))
        assert here.run("sync").code == 1
        assert here.run("sync", "join", served.binding.origin, "--yes").code == 2  # no token
        monkeypatch.setenv(TOKEN, made["text"])
        assert here.run("sync", "join", served.binding.origin).code == 2  # nobody compares the key
        assert "not the one you named" in here.run("sync", "join", served.binding.origin, "--key", "00" * 32).err
        assert "Undo: metier sync leave" in here.ok("sync", "join", served.binding.origin, "--key", key)
        assert "New: skill write-notes" in here.ok("sync")
        assert "before every commit" in document_of(machine)
        ship(server, "write-notes", "Write better notes.")
        [item] = here.json("sync")["items"]
        assert (item["name"], item["how"]) == ("write-notes", "updated")
        assert here.json("sync", "status")["skills"].keys() == {"write-notes"}
        monkeypatch.setenv("HOME", str(tmp_path / "home-server"))
        at_server.ok("serve", "token", "revoke", made["id"], "--yes")
    monkeypatch.setenv("HOME", str(tmp_path / "home-machine"))
    offline = here.run("sync")
    assert (offline.code, "stays in use" in offline.err) == (1, True)
    assert "Write better notes." in document_of(machine)
    assert "stay in use" in here.ok("sync", "leave")
    assert here.run("sync", "status").code == 1


def test_a_branch_by_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ws = make_server(tmp_path / "server")
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
    assert shell.run("sync", "--branch", "x").code == 2
