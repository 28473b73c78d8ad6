"""The pictures of the documents: the demo's workspace in the dashboard; `make pictures` puts them there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from dashboard_world import serve_dashboard

from metier.cli.demo import open_stage
from metier.cli.demo.capture import capture_scene
from metier.cli.demo.learning import learn_scene
from metier.cli.demo.training import train_scene
from metier.library.proposals.drafts import approve_draft
from metier.proof.routing import apply_checked

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
        train_scene(stage)
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


def test_a_training_has_one_result_its_text_and_its_curve(shop: ServedDashboard, eyes: Eyes) -> None:
    page = eyes.open(shop, "/training")
    page.locator("[data-row]").first.click()
    page.locator("#curve canvas").wait_for()
    page.set_viewport_size({"width": 1280, "height": 1200})
    eyes.picture(page, "dashboard-training")


def test_a_skill_tells_why_it_was_made(shop: ServedDashboard, eyes: Eyes) -> None:
    library = shop.board.ws.library
    draft = next(one for one in shop.board.ws.drafts() if one.target.endswith("bump-dependency"))
    approve_draft(library, draft.id, seen=draft.hash)
    apply_checked(library, [draft.id])
    page = eyes.open(shop, "/skills?open=bump-dependency")
    page.get_by_role("heading", name="Why it was made").wait_for()
    eyes.picture(page, "dashboard-skill")
