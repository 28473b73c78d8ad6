"""`metier fleet` and `metier worker`: a pass of learning made by a worker is the pass that `metier learn` makes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from cli_shell import Shell
from learn_world import TESTS, task

from metier.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.xdist_group("postgresql")


def shell(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    folder.mkdir()
    made = Shell(folder, monkeypatch, capsys)
    with Workspace.open(folder) as ws:
        ws.deliver(task(TESTS, 0, 4))
    return made


def test_a_pass_by_a_worker_is_the_pass_of_metier_learn(
    new_postgres: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    alone = shell(tmp_path / "alone", monkeypatch, capsys)
    alone.ok("learn")
    monkeypatch.setenv("METIER_STORE", new_postgres)
    many = shell(tmp_path / "many", monkeypatch, capsys)
    assert many.json("fleet", "learn") == {"handed_in": 1, "workers": 0}
    assert "waits already" in many.ok("fleet", "learn")
    waiting = many.json("fleet", "status")
    assert [one["kind"] for one in waiting["waiting"]] == ["learn"]
    assert "No worker is running. Start one: metier worker" in many.ok("fleet", "status")
    assert "draft" in many.ok("worker", "--once")
    found = many.json("fleet", "status")
    assert (found["waiting"], found["running"], found["failed"]) == ([], [], [])
    assert [(one["ok"], "draft" in one["text"]) for one in found["ended"]] == [(True, True)]
    drafts = many.json("drafts", "list")
    monkeypatch.delenv("METIER_STORE")
    assert [one["hash"] for one in drafts] == [one["hash"] for one in alone.json("drafts", "list")] != []


def test_wrong_use_is_said_in_one_line(
    tmp_path: Path, new_postgres: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    own = shell(tmp_path / "own", monkeypatch, capsys)
    for words in (("fleet", "status"), ("fleet", "learn"), ("worker", "--once")):
        said = own.run(*words)
        assert (said.code, said.err.count("\n")) == (2, 1)
        assert "needs PostgreSQL" in said.err
    monkeypatch.setenv("METIER_STORE", new_postgres)
    assert own.run("fleet", "retry").code == 2
    missing = own.run("fleet", "retry", "17")
    assert (missing.code, "No failed job here is number 17" in missing.err) == (1, True)
    assert "none, as no job has failed" in own.ok("fleet", "drop", "--all")
