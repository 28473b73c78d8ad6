"""A real Chromium for the tests of this folder; what is seen is kept as pictures."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from dashboard_world import add_proof, add_training, make_project, serve_dashboard, ship_skill
from eyes import Eyes
from install_browser import axe_file, chromium

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dashboard_world import ServedDashboard
    from playwright.sync_api import Browser

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.xdist_group("browser"))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The browser; where there is none, these tests are skipped and say so."""
    from playwright.sync_api import sync_playwright

    if not chromium():
        pytest.skip("there is no chromium: python scripts/install_browser.py")
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        yield found
        found.close()


@pytest.fixture(scope="session")
def axe() -> str:
    """The script of axe-core."""
    if not axe_file().is_file():
        pytest.skip("there is no axe-core: python scripts/install_browser.py")
    return axe_file().read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where pictures go: BROWSER_PICTURES, else a temporary folder."""
    given = os.environ.get("BROWSER_PICTURES")
    folder = Path(given) if given else tmp_path_factory.mktemp("pictures")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="module")
def looked_at(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedDashboard]:
    """A dashboard that is only looked at."""
    ws = make_project(tmp_path_factory.mktemp("browser") / "harbor-shop")
    ship_skill(ws)
    add_training(ws)
    add_proof(ws)
    with serve_dashboard(ws) as served:
        yield served


@pytest.fixture
def worked_on(tmp_path: Path) -> Iterator[ServedDashboard]:
    """A dashboard that a test changes."""
    with serve_dashboard(make_project(tmp_path / "harbor-shop")) as served:
        yield served


@pytest.fixture
def eyes(browser: Browser, pictures: Path) -> Iterator[Eyes]:
    """Opens pages and watches them: errors, dialogs and requests to elsewhere fail the test at its end."""
    found = Eyes(browser, pictures)
    yield found
    found.close()
    assert found.problems == []
