"""A served workspace for the tests of this folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from dashboard_world import make_project
from server_world import serve_workspace

from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from server_world import Served


@pytest.fixture(scope="session")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One server for all tests that ask it, with something on every page."""
    with serve_workspace(make_project(tmp_path_factory.mktemp("server") / "project")) as served:
        yield served


@pytest.fixture
def empty_ws(tmp_path: Path) -> Workspace:
    """An empty workspace of one test's own."""
    (tmp_path / "project").mkdir()
    (tmp_path / "home").mkdir(exist_ok=True)
    return Workspace.open(tmp_path / "project", environ={"HOME": str(tmp_path / "home"), "PATH": "/usr/bin:/bin"})
