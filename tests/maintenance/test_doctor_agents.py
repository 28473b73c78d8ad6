"""The doctor says which agents are connected, what is missing, what runs twice, and what is not recorded."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from homes import FOREIGN_HOOKS, Home

from metier.agents.plan import codex_groups
from metier.maintenance.agents import check_agents
from metier.maintenance.doctor import UNFINISHED, damage_of
from metier.types import Run

if TYPE_CHECKING:
    from pathlib import Path

    from metier.workspace import Workspace


@pytest.fixture
def home(tmp_path: Path) -> Home:
    folder = tmp_path / "home"
    (folder / ".claude").mkdir()
    (folder / ".codex").mkdir()
    (folder / ".codex/hooks.json").write_text(FOREIGN_HOOKS)
    return Home(folder, {"HOME": str(folder), "PATH": "/nonexistent"})


def said(home: Home, *, headless: bool = False) -> list[tuple[str, str, str]]:
    found = check_agents(home.folder / "proj", home.environ, records_headless=headless)
    return [(one.state, one.text, one.fix) for one in found]


def test_agents_that_are_not_connected_are_named(home: Home) -> None:
    assert said(home) == [("warning", "Claude Code and Codex are not connected", "metier connect")]


def test_a_whole_connection_is_well_and_what_is_not_recorded_is_said(home: Home) -> None:
    home.connect()
    first, trust, server, headless = said(home)
    assert first == ("ok", "Claude Code, Codex connected", "")
    assert trust[:2] == ("warning", "Codex could not be asked whether it trusts the hooks")
    assert server == ("ok", "Codex knows the MCP server", "")
    assert headless[1] == "runs that programs start (claude -p, codex exec) are not recorded"
    assert len(said(home, headless=True)) == 3


def test_a_server_that_could_not_be_added_is_told_with_the_command_that_adds_it(home: Home) -> None:
    home.put(".codex/config.toml", "mcp_servers = {}\n")
    home.connect()
    fix = f"codex mcp add metier -- sh {home.places.launcher} mcp"
    assert ("warning", "Codex does not know the MCP server: it can ask for nothing by itself", fix) in said(home)


def test_what_was_taken_away_is_found(home: Home) -> None:
    home.connect()
    (home.folder / ".claude/skills/metier").unlink()
    assert ("problem", "the connection of Claude Code is not complete", "metier connect") in said(home)
    home.connect()
    home.places.launcher.unlink()
    assert ("warning", "the plugin is outdated", "metier connect") in said(home)


def test_a_python_without_metier_is_a_problem(home: Home) -> None:
    home.connect()
    for python in ("/gone/python", "/bin/false"):
        home.places.python_note.write_text(f"{python}\n-I\n")
        assert any("names a Python without Metier" in text for _, text, _ in said(home))


def test_hooks_that_run_twice_are_a_warning(home: Home) -> None:
    home.connect()
    home.put(
        ".claude/settings.json",
        '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "metier-spool"}]}]}}',
    )
    [(_, text, fix)] = [one for one in said(home) if "twice" in one[1]]
    assert "has a hook for Stop: metier-spool; everything runs twice" in text
    assert fix == "metier connect --remove-duplicates"


@pytest.mark.parametrize(("trust", "state"), [("trusted", "ok"), ("untrusted", "problem"), ("modified", "problem")])
def test_codex_is_asked_whether_it_trusts_the_hooks(home: Home, trust: str, state: str) -> None:
    commands = [group["hooks"][0]["command"] for group in codex_groups(home.places).values()]
    program = home.put("bin/codex", _server(commands, trust), 0o755)
    home.environ["PATH"] = f"{program.parent}:{os.environ['PATH']}"
    home.connect()
    [found] = [one for one in said(home) if "Codex" in one[1] and "trust" in one[1]]
    assert found[0] == state


def _server(commands: list[str], trust: str) -> str:
    """A program that answers as `codex app-server` does."""
    return f"""#!/usr/bin/env python3
import json, sys
assert sys.argv[1:] == ["app-server"]
for line in sys.stdin:
    asked = json.loads(line)
    if asked.get("id") == 1:
        print(json.dumps({{"id": 1, "result": {{}}}}), flush=True)
        print(json.dumps({{"method": "configWarning", "params": {{}}}}), flush=True)
    if asked.get("id") == 2:
        hooks = [{{"command": one, "enabled": True, "trustStatus": {trust!r}}} for one in {commands!r}]
        print(json.dumps({{"id": 2, "result": {{"data": [{{"cwd": "/", "hooks": hooks}}]}}}}), flush=True)
"""


def test_a_large_database_is_read_in_part_and_to_its_end_when_asked(ws: Workspace) -> None:
    ws.deliver(Run(message=f"fix bug {number}", output="done " * 200) for number in range(2_000))
    assert damage_of(ws.state / "metier.db", 0.0) == UNFINISHED
    assert damage_of(ws.state / "metier.db", 60.0) == ""
