"""Workspaces for the command line: an empty one, and one with a chore in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from cli_shell import Shell, bumps

from metier.types import Run
from metier.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    """A workspace without runs."""
    folder = tmp_path / "shop"
    folder.mkdir()
    Workspace.open(folder).close()
    return Shell(folder, monkeypatch, capsys)


@pytest.fixture
def chores(shell: Shell) -> list[str]:
    """Four runs that mean the same, one that nobody knows the end of, and one like no other."""
    return shell.deliver(
        [
            *bumps(),
            Run(message="draft a letter to the landlord", external_id="open", source="api", session="x"),
            Run(
                message="why does the printer in room 7 smell of burnt toast?",
                output="A cable had melted.",
                status="completed",
                external_id="alone",
                source="api",
                session="y",
            ),
        ]
    )
