"""What a project says about itself is read from within the project: no link, pipe or device brings anything else."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from allowing import allow
from cli_shell import Shell

from metier.learning.lessons.vetting import PAGES
from metier.learning.stages.pages import PAGE, cited_text, read_pages
from metier.types import Run
from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def link_out(file: Path) -> None:
    outside = file.parents[1] / "id_rsa"
    outside.write_text("a secret key of another place")
    file.symlink_to(outside)


def huge(file: Path) -> None:
    with file.open("wb") as out:
        out.truncate(10**12)


BAD: dict[str, Callable[[Path], object]] = {
    "link out": link_out,
    "link to a device": lambda file: file.symlink_to("/dev/zero"),
    "link to the kernel": lambda file: file.symlink_to("/proc/kmsg"),
    "pipe": os.mkfifo,
    "huge": huge,
    "folder": lambda file: file.mkdir(),
}


@pytest.fixture
def shell(ws: Workspace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    """Commands in a workspace where a person gave a rule twice."""
    said = "Always run the linter before you commit."
    ws.deliver(Run(message=said, output="Yes.", status="completed", source="api", session=f"x{n}") for n in range(2))
    ws.close()
    return Shell(ws.root, monkeypatch, capsys)


@pytest.mark.parametrize("kind", BAD)
def test_learning_goes_on_without_a_bad_page_and_says_so(kind: str, shell: Shell, tmp_path: Path) -> None:
    BAD[kind](shell.folder / "README.md")
    (shell.folder / "AGENTS.md").write_text("- Always run the linter before you commit.\n")
    said = shell.run("learn")
    assert (said.code, said.err.count("Left out README.md: it ")) == (0, 1)
    assert read_pages(shell.folder, []).keys() == {"AGENTS.md"}


def test_no_question_to_a_model_holds_foreign_text(shell: Shell, tmp_path: Path) -> None:
    for name in PAGES:
        (shell.folder / name).symlink_to(tmp_path / "id_rsa")
    (tmp_path / "id_rsa").write_text("a secret key of another place")
    with Workspace.open(shell.folder) as ws:
        allow(ws, "question-files")
    shell.ok("learn", "--questions", str(tmp_path / "ask"))
    (question,) = (tmp_path / "ask").glob("lessons-*.md")
    assert "secret key" not in question.read_text()


@pytest.mark.parametrize("kind", BAD)
def test_a_checkup_goes_on_and_says_so(kind: str, shell: Shell) -> None:
    BAD[kind](shell.folder / "CLAUDE.md")
    assert "Left out CLAUDE.md: it " in shell.run("checkup", str(shell.folder)).err


def test_a_link_within_the_project_is_a_page(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("x" * (PAGE + 1))
    (tmp_path / "CLAUDE.md").symlink_to("AGENTS.md")
    left_out: list[str] = []
    assert [len(text) for text in read_pages(tmp_path, left_out).values()] == [PAGE, PAGE]
    assert left_out == []


@pytest.mark.parametrize("name", ["../id_rsa", "/etc/hostname", "a\0b", "README.md"])
def test_a_lesson_cites_only_files_of_the_project(name: str, tmp_path: Path) -> None:
    (tmp_path / "id_rsa").write_text("a secret key of another place")
    (tmp_path / "project").mkdir()
    link_out(tmp_path / "project" / "README.md")
    assert cited_text(tmp_path / "project", name) == ""


def test_a_page_that_is_a_link_to_what_is_no_page_is_left_out(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("INTERNAL_HOST=pay.corp.lan")
    for name in ("AGENTS.md", "CLAUDE.md"):
        (tmp_path / name).symlink_to(".env")
    left_out: list[str] = []
    assert read_pages(tmp_path, left_out) == {}
    assert len(left_out) == 2
