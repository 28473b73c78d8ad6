"""Codex's settings get Metier's MCP server at their end, and nothing else in them changes."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

import pytest
from homes import Home, home_at

from metier.agents.connect import disconnect_agents
from metier.agents.plan import has_codex_server
from metier.agents.toml_text import with_server, without_server
from metier.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

OWN = '# mine\nmodel = "gpt-5"   # keep\n\n[projects."/x y"]\ntrust_level = "trusted"'
SETTINGS = [
    "",
    "\n",
    OWN,
    f"{OWN}\n",
    f"{OWN}\n\n\n",
    "[mcp_servers.other]\ncommand = 'x'\n",
    "mcp_servers.a.url = 'y'\n",
]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    found = home_at(tmp_path / 'it\'s my "home" & co')
    found.put(".codex/")
    return found


def config(home: Home) -> Path:
    return home.folder / ".codex/config.toml"


@pytest.mark.parametrize("text", SETTINGS)
def test_the_server_stands_behind_everything_else_and_goes_without_a_trace(home: Home, text: str) -> None:
    config(home).write_text(text)
    home.connect()
    assert config(home).read_text().startswith(text)
    server = tomllib.loads(config(home).read_text())["mcp_servers"]["metier"]
    assert (server["command"], server["args"]) == ("sh", [str(home.places.launcher), "mcp"])
    assert home.plan().changes == ()
    assert disconnect_agents(home.places).left == ()
    assert config(home).read_text() == text


def test_without_settings_a_file_is_made_and_goes_again(home: Home) -> None:
    home.connect()
    assert has_codex_server(home.places)
    disconnect_agents(home.places)
    assert not config(home).exists()


def test_a_server_that_the_person_added_is_left_alone(home: Home) -> None:
    text = "[mcp_servers.metier]\ncommand = 'metier'\nargs = ['mcp']\n"
    config(home).write_text(text)
    home.connect()
    assert config(home).read_text() == text
    disconnect_agents(home.places)
    assert config(home).read_text() == text


def test_servers_in_one_line_are_left_alone_and_the_hooks_are_connected(home: Home) -> None:
    config(home).write_text("mcp_servers = {other = {command = 'x'}}\n")
    home.connect()
    assert config(home).read_text() == "mcp_servers = {other = {command = 'x'}}\n"
    assert (home.folder / ".codex/hooks.json").exists()
    assert not has_codex_server(home.places)


def test_settings_that_are_no_toml_are_refused(home: Home) -> None:
    config(home).write_text("model = \n")
    (plan,) = home.plan().agents
    assert "config.toml cannot be extended: it is not valid TOML" in plan.refusal
    assert not (home.folder / ".codex/hooks.json").exists()


def test_what_codex_wrote_behind_and_below_the_server_since_is_told_apart(home: Home) -> None:
    config(home).write_text(OWN)
    home.connect()
    below = '\n[mcp_servers.metier.tools.mark]\napproval_mode = "approve"\n'
    behind = '\n[hooks.state."/h/hooks.json:stop:0:0"]\ntrusted_hash = "sha256:1"\n'
    config(home).write_text(config(home).read_text() + below + behind)
    assert disconnect_agents(home.places).left == ()
    left = config(home).read_text()
    assert left.startswith(OWN)
    assert tomllib.loads(left) == tomllib.loads(OWN + "\n" + behind)


def test_a_server_that_was_changed_since_goes_by_its_table(home: Home) -> None:
    config(home).write_text(OWN)
    home.connect()
    config(home).write_text(config(home).read_text().replace('"mcp"]', '"mcp"]\nstartup_timeout_sec = 20'))
    assert disconnect_agents(home.places).left == ()
    assert tomllib.loads(config(home).read_text()) == tomllib.loads(OWN)


def test_a_server_that_moved_into_one_line_is_left_and_named(home: Home) -> None:
    config(home).write_text("")
    home.connect()
    config(home).write_text("mcp_servers = {metier = {command = 'sh'}}\n")
    (reason,) = disconnect_agents(home.places).left
    assert "the MCP server in" in reason
    assert config(home).read_text() == "mcp_servers = {metier = {command = 'sh'}}\n"


@pytest.mark.parametrize("value", ["plain", 'with "quotes" and \\', "ünïcode\ttab"])
def test_every_value_is_read_back_as_it_was(value: str) -> None:
    text, piece = with_server("a = 1", "metier", {"command": value, "args": [value]})
    assert tomllib.loads(text)["mcp_servers"]["metier"] == {"command": value, "args": [value]}
    assert without_server(text, "metier", piece) == ("a = 1", True)


def test_a_file_that_is_no_toml_any_more_is_told() -> None:
    with pytest.raises(InputError, match="not valid TOML"):
        without_server("a = ", "metier", "x")
