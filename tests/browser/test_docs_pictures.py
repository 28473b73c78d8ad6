"""The pictures of the documents: the demo's workspace in the dashboard; `make pictures` puts them there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from dashboard_world import serve_dashboard

from metier.cli.demo import open_stage
from metier.cli.demo.capture import capture_scene
from metier.cli.demo.learning import learn_scene

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dashboard_world import ServedDashboard
    from eyes import Eyes


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedDashboard]:
    """The dashboard of the demo's two weeks, before anybody has decided anything."""
    folder = tmp_path_factory.mktemp("docs") / "harbor-shop"
    folder.mkdir()
    with open_stage(folder) as stage:
        capture_scene(stage)
        learn_scene(stage)
        with serve_dashboard(stage.ws) as served:
            yield served


def test_review_shows_the_rule_in_the_persons_words(shop: ServedDashboard, eyes: Eyes) -> None:
    page = eyes.open(shop)
    assert "use pnpm, not npm" in page.locator("main").inner_text()
    eyes.picture(page, "dashboard-review")


def test_a_run_is_shown_as_a_conversation(shop: ServedDashboard, eyes: Eyes) -> None:
    run = next(one for one in shop.board.ws.runs(100) if "coupon field" in one.run.message)
    page = eyes.open(shop, f"/runs?open={run.id}")
    page.get_by_text("You corrected it").first.wait_for()
    eyes.picture(page, "dashboard-run")
