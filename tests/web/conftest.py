"""A served dashboard for the tests of this folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from dashboard_world import make_project, serve_dashboard

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from dashboard_world import ServedDashboard


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedDashboard]:
    """One dashboard for all tests of a file; they only read."""
    with serve_dashboard(make_project(tmp_path_factory.mktemp("dashboard") / "project")) as served:
        yield served


@pytest.fixture
def served(tmp_path: Path) -> Iterator[ServedDashboard]:
    """A dashboard of one test's own."""
    with serve_dashboard(make_project(tmp_path / "project")) as found:
        yield found
