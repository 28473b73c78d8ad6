"""A database that was deleted or emptied is noticed and said, until a backup is back or a person goes on without."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from cli_shell import Shell, bumps
from dashboard_world import serve_dashboard
from mcp_talk import Talk
from states import state_of

from metier.types import Run
from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LATER = Run(message="write the release notes", output="Written.", status="completed", external_id="later")


def delete(state: Path) -> None:
    for file in state.glob("metier.db*"):
        file.unlink()


def delete_one(state: Path) -> None:
    (state / "metier.db").unlink()


def empty(state: Path) -> None:
    (state / "metier.db").write_bytes(b"")


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    """A workspace with runs, something in its audit log, and a backup."""
    (tmp_path / "shop").mkdir()
    shell = Shell(tmp_path / "shop", monkeypatch, capsys)
    ids = shell.deliver(bumps())
    shell.ok("runs", "mark", ids[0], "bad")
    shell.ok("backup", str(shell.folder / "b.tar.gz"))
    return shell


def store_checks(shell: Shell) -> list[tuple[str, str]]:
    found = shell.json("doctor", code=1)
    return [(one["text"], one["fix"]) for one in found if (one["name"], one["state"]) == ("store", "problem")]


@pytest.mark.parametrize("lose", [delete, delete_one, empty])
def test_a_lost_database_is_a_problem_for_the_doctor_before_and_after_a_new_one_began(
    shop: Shell, lose: Callable[[Path], None]
) -> None:
    state = state_of(shop.folder)
    lose(state)
    for expected in ("is gone or empty", "was lost"):
        ((text, fix),) = store_checks(shop)
        assert expected in text
        assert ("metier restore FILE" in fix, "metier restore --without-backup" in fix) == (True, True)
        shop.run("runs", "list")  # a new one begins


@pytest.mark.parametrize("lose", [delete, delete_one, empty])
def test_every_command_says_that_the_database_was_lost_in_one_line(shop: Shell, lose: Callable[[Path], None]) -> None:
    lose(state_of(shop.folder))
    for words in (("runs", "list", "--json"), ("skills", "list", "--json"), ("init", "--no-connect", "--json")):
        said = shop.run(*words)
        assert said.code == 0
        assert [line for line in said.err.splitlines() if "was lost" in line and "metier restore FILE" in line]
        assert said.err.count("\n") == 1


def test_an_audit_log_that_is_lost_is_not_called_unchanged(shop: Shell) -> None:
    empty(state_of(shop.folder))
    said = shop.run("audit", "verify")
    assert (said.code, "unchanged" in said.err, "is lost" in said.err) == (1, False, True)
    found = shop.run("audit", "verify", "--json")
    assert (found.code, '"ok": false' in found.out) == (1, True)


def test_a_backup_ends_the_loss(shop: Shell) -> None:
    empty(state_of(shop.folder))
    shop.deliver([LATER])
    shop.ok("restore", str(shop.folder / "b.tar.gz"), "--yes")
    assert len(shop.json("runs", "list")) == len(bumps())
    assert shop.json("audit", "verify")["ok"]
    assert not [one for one in shop.json("doctor") if one["state"] == "problem"]


def test_a_backup_of_a_workspace_with_a_loss_brings_no_loss_along(shop: Shell) -> None:
    empty(state_of(shop.folder))
    shop.deliver([LATER])
    shop.ok("backup", str(shop.folder / "later.tar.gz"))
    shop.ok("restore", str(shop.folder / "later.tar.gz"), "--yes")
    assert len(shop.json("runs", "list")) == 1


def test_a_person_can_go_on_without_and_the_audit_log_keeps_it(shop: Shell) -> None:
    empty(state_of(shop.folder))
    refused = shop.run("restore", "--without-backup")
    assert (refused.code, "--yes" in refused.err) == (2, True)
    assert "metier import" in shop.ok("restore", "--without-backup", "--yes")
    assert [one["action"] for one in shop.json("audit", "list")] == ["lose database"]
    assert shop.json("audit", "verify")["ok"]
    again = shop.run("restore", "--without-backup", "--yes")
    assert (again.code, "No database was lost" in again.err) == (1, True)


def test_a_workspace_from_before_the_mark_is_not_lost_and_gets_it(shop: Shell) -> None:
    mark = state_of(shop.folder) / "database"
    mark.unlink()
    assert len(shop.json("runs", "list")) == len(bumps())
    assert mark.is_file()


def test_a_state_folder_whose_database_was_never_made_is_not_lost(shop: Shell) -> None:
    state = state_of(shop.folder)
    delete(state)
    (state / "database").unlink()  # as a process leaves it that is killed before it makes the database
    assert shop.json("runs", "list") == []
    assert "lost" not in shop.run("runs", "list").err


def test_a_lost_database_is_not_copied_to_another_store(shop: Shell, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    Workspace.open(other).close()
    empty(state_of(shop.folder))
    shop.run("runs", "list")
    said = shop.run("store", "copy", str(shop.folder), str(other))
    assert (said.code, "was lost" in said.err) == (1, True)


def test_a_copy_into_the_place_of_a_lost_database_ends_the_loss(shop: Shell, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    with Workspace.open(other) as ws:
        ws.finish(LATER)
    empty(state_of(shop.folder))
    assert "was lost" in shop.run("runs", "list").err
    shop.ok("store", "copy", str(other), str(shop.folder))
    with Workspace.open(shop.folder) as ws:
        assert ws.context.lost == ""


@pytest.mark.xdist_group("postgresql")
def test_a_store_at_a_server_knows_no_loss_of_a_file(
    shop: Shell, new_postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.ok("store", "copy", str(shop.folder), new_postgres)
    delete(state_of(shop.folder))
    monkeypatch.setenv("METIER_STORE", new_postgres)
    assert len(shop.json("runs", "list")) == len(bumps())
    assert [one["state"] for one in shop.json("doctor") if one["name"] == "store"] == ["ok"]


def test_agents_and_the_dashboard_are_told_until_it_is_settled(shop: Shell) -> None:
    empty(state_of(shop.folder))
    with serve_dashboard(Workspace.open(shop.folder)) as served, Talk(shop.folder) as talk:
        assert f"{state_of(shop.folder)}/metier.db was lost before" in served.get("/runs").text
        for tool in ("runs", "lessons"):
            assert "metier restore FILE" in talk.call(tool)
        shop.ok("restore", "--without-backup", "--yes")
        assert "was lost" not in served.get("/runs").text
        assert talk.call("runs") == "No runs are recorded here yet."
        assert talk.call("lessons") == "There are no lessons here yet."
