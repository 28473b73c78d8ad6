"""Every page in a real browser: light, dark, on a phone, without errors, usable for everybody."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from metier.proof.replay.cases import list_cases
from metier.proof.trials.trials import list_trials

if TYPE_CHECKING:
    from dashboard_world import ServedDashboard
    from eyes import Eyes
    from playwright.sync_api import Page

PAGES = {
    "review": "/",
    "review-hostile": "/?item=0000000000a2",
    "review-draft": "/?item=DRAFT",
    "lessons": "/lessons",
    "lessons-panel": "/lessons?by=kind&open=0000000000a0",
    "lesson": "/lessons/0000000000a0",
    "runs": "/runs",
    "runs-panel": "/runs?outcome=good&open=RUN",
    "runs-none": "/runs?q=nothingofthekind",
    "run": "/runs/RUN",
    "run-hostile": "/runs/HOSTILE",
    "skills": "/skills",
    "skills-none": "/skills?q=nothingofthekind",
    "skills-panel": "/skills?open=write-notes",
    "skill": "/skills/write-notes",
    "skill-back": "/skills/write-notes?back=1#back",
    "review-weak": "/?show=weak",
    "review-rejected": "/?show=rejected",
    "select": "/select?task=write+the+notes+before+every+push",
    "select-empty": "/select",
    "trainings": "/training",
    "training": "/training/9907b73f5997a66f",
    "proof": "/proof",
    "trial": "/proof/trials/TRIAL",
    "trial-new": "/proof/new/write-notes",
    "cases": "/proof/cases",
    "case": "/proof/cases/CASE",
    "audit": "/audit",
    "audit-calls": "/audit/calls",
    "lessons-waiting": "/lessons?state=proposed",
    "error": "/no-such-page",
}


def address(served: ServedDashboard, name: str) -> str:
    """The address of a page, with ids of this world."""
    ws = served.board.ws
    runs = ws.runs(50)
    path = PAGES[name].replace("DRAFT", next(one.id for one in ws.drafts() if one.target == "fetch-tool"))
    path = path.replace("RUN", next(one.id for one in runs if one.run.correction))
    path = path.replace("TRIAL", list_trials(ws.context)[0].id)
    path = path.replace("CASE", list_cases(ws.context, "proposed")[0].id)
    return path.replace("HOSTILE", next(one.id for one in runs if one.run.message.startswith("<img")))


def serious(page: Page, axe: str) -> list[str]:
    """What axe-core finds that keeps people out."""
    page.evaluate(axe)
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{one['id']}: {one['help']}: {[node['target'] for node in one['nodes']][:3]}"
        for one in found["violations"]
        if one["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize("look", ["light", "dark", "phone"])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_shown_without_errors_and_for_everybody(
    looked_at: ServedDashboard, eyes: Eyes, axe: str, name: str, look: str
) -> None:
    page = eyes.open(looked_at, address(looked_at, name), dark=look == "dark", phone=look == "phone")
    page.wait_for_timeout(200)
    eyes.picture(page, f"{name}-{look}")
    if name == "error":
        eyes.allow("404")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the page is wider than the screen"
    assert page.locator("h1").first.inner_text().strip()
    assert serious(page, axe) == []


def test_the_link_leaves_no_trace_in_the_address_and_opens_once(looked_at: ServedDashboard, eyes: Eyes) -> None:
    page = eyes.open(looked_at)
    assert page.url == looked_at.board.access.origin + "/"
    assert page.evaluate("document.cookie") == ""
    assert page.evaluate("document.referrer") == ""
