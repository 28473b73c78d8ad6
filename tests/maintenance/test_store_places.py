"""`metier store copy` between a workspace and a server: what was recorded and learned is there, and goes on there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from cli_shell import Shell
from learn_world import TESTS, task
from states import state_of

from metier.maintenance.store_copy import place_of
from metier.store.tables import meta
from metier.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.xdist_group("postgresql")


def test_a_workspace_moves_to_a_server_and_back(
    new_postgres: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shop = tmp_path / "shop"
    shop.mkdir()
    shell = Shell(shop, monkeypatch, capsys)
    shell.deliver(task(TESTS, 0, 4))
    shell.ok("learn")
    runs, drafts = shell.json("runs", "list"), shell.json("drafts", "list")
    assert "each table checked by its hash" in shell.ok("store", "copy", str(shop), new_postgres)
    monkeypatch.setenv("METIER_STORE", new_postgres)
    assert (shell.json("runs", "list"), shell.json("drafts", "list")) == (runs, drafts)
    assert len(shell.json("runs", "search", TESTS[0].split()[0])) > 0
    assert shell.json("audit", "verify")["ok"]
    shell.deliver(task(TESTS, 4, 1))
    more = shell.json("runs", "list")
    assert len(more) == len(runs) + 1
    monkeypatch.delenv("METIER_STORE")
    refused = shell.run("store", "copy", new_postgres, str(shop))
    assert (refused.code, "The target is not empty" in refused.err) == (1, True)
    for old in state_of(shop).glob("metier.db*"):
        old.unlink()
    assert shell.json("store", "copy", new_postgres, str(shop))["rows"] > 0
    assert shell.json("runs", "list") == more


def test_places_that_cannot_be_used_are_said_in_one_line(
    new_postgres: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shop, other = tmp_path / "shop", tmp_path / "other"
    for folder in (shop, other):
        folder.mkdir()
    shell = Shell(shop, monkeypatch, capsys)
    shell.deliver(task(TESTS, 0, 1))
    wrong = {
        (str(other), new_postgres): (2, "There is no workspace in"),
        (str(shop), str(state_of(shop))): (2, "the same store"),
        (str(shop), str(other)): (2, "There is no workspace in"),
        (str(other / "metier.db"), new_postgres): (1, "There is no store at"),
        (str(shop), "postgresql://nobody@127.0.0.1:1/none"): (1, "does not answer"),
    }
    for words, (code, text) in wrong.items():
        said = shell.run("store", "copy", *words)
        assert (said.code, text in said.err, said.err.count("\n")) == (code, True, 1), said.err


def test_a_store_that_is_not_copied_to_its_end_is_not_used(ws: Workspace) -> None:
    with ws.context.store.write() as transaction:
        meta.put(transaction, meta.COPIED_FROM, "postgresql://db/metier")
    with pytest.raises(Exception, match="A copy into this store is not finished"):
        Workspace.open(ws.root)


def test_a_password_is_neither_noted_nor_shown() -> None:
    assert place_of("postgresql://ada:s3cret@db:5432/m?host=x") == "postgresql://ada@db:5432/m?host=x"
