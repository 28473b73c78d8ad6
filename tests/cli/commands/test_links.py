"""Commands in a project in which a branch put links: what they say, and that they write nothing through them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from cli_shell import Shell, bumps
from shelves import package, snapshot

from metier.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    folder = tmp_path / "project"
    (folder / ".agents/skills/deploy").mkdir(parents=True)
    (folder / ".agents/skills/deploy/SKILL.md").write_bytes(package("deploy").files["SKILL.md"])
    with Workspace.open(folder) as ws:
        ws.record_hand_edits()
    monkeypatch.chdir(folder)
    return Shell(folder, monkeypatch, capsys)


@pytest.fixture
def away(shell: Shell, tmp_path: Path) -> Path:
    """A folder outside, and a link to it in the project."""
    folder = tmp_path / "outside"
    folder.mkdir()
    (shell.folder / "docs").symlink_to(folder)
    return folder


EXPORTS = (
    ("skills", "export", "deploy", "--to", "docs/deploy.zip"),
    ("backup", "docs/backup.tar.gz"),
)


@pytest.mark.parametrize("words", EXPORTS, ids=lambda words: words[0])
def test_nothing_is_exported_through_a_link(words: tuple[str, ...], shell: Shell, away: Path) -> None:
    said = shell.run(*words)
    assert said.code == 1
    assert f"{shell.folder}/docs is a link to {away}" in said.err
    assert list(away.iterdir()) == []


def test_a_root_that_leads_away_is_said_in_the_list_and_by_the_doctor(shell: Shell, tmp_path: Path) -> None:
    (shell.folder / ".agents").rename(tmp_path / "theirs")
    (shell.folder / ".agents").symlink_to(tmp_path / "theirs")
    before = snapshot(tmp_path / "theirs")
    listed = shell.run("skills", "list")
    assert "deploy" not in listed.out
    assert f"{shell.folder}/.agents is a link to {tmp_path}/theirs" in listed.err
    assert "is a link that leads out of the project" in shell.run("doctor").out
    shell.deliver(bumps())
    shell.ok("learn")
    assert snapshot(tmp_path / "theirs") == before


def test_a_project_that_is_named_from_beside_it_is_no_less_guarded(shell: Shell, tmp_path: Path) -> None:
    (shell.folder / ".agents").rename(tmp_path / "theirs")
    (shell.folder / ".agents").symlink_to(tmp_path / "theirs")
    before = snapshot(tmp_path / "theirs")
    (tmp_path / "beside").mkdir()
    shell.monkeypatch.chdir(tmp_path / "beside")
    named = Shell("../project", shell.monkeypatch, shell.capsys)  # type: ignore[arg-type]
    assert "is a link to" in named.run("skills", "archive", "deploy").err
    assert snapshot(tmp_path / "theirs") == before
