"""What a new user wants to know or do, with nothing but the screen, each in a few clicks and under a minute."""

from __future__ import annotations

import re
import time
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from dashboard_world import ship_skill
from playwright.sync_api import expect

from metier.store.tables.models import calls
from metier.store.tables.models.calls import CallEntry
from metier.types import Tokens

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dashboard_world import ServedDashboard
    from eyes import Eyes

MINUTE = 60.0


@pytest.fixture(autouse=True)
def under_a_minute() -> Iterator[None]:
    began = time.monotonic()
    yield
    assert time.monotonic() - began < MINUTE


def test_why_was_this_skill_made(worked_on: ServedDashboard, eyes: Eyes) -> None:
    ship_skill(worked_on.board.ws)
    page = eyes.open(worked_on)
    page.get_by_role("link", name="Skills").click()
    page.get_by_role("row", name=re.compile("write-notes")).get_by_role("link", name="write-notes").click()
    page.get_by_role("heading", name="Why it was made").wait_for()
    expect(page.locator("#panel")).to_contain_text("Learned from 2 runs")
    page.locator("#panel").get_by_role("link", name="Fix the login test number 0").click()
    page.get_by_role("heading", name="Fix the login test number 0").wait_for()


def test_take_back_yesterdays_change(worked_on: ServedDashboard, eyes: Eyes) -> None:
    ship_skill(worked_on.board.ws)
    file = worked_on.board.ws.root / ".agents/skills/write-notes/SKILL.md"
    page = eyes.open(worked_on)
    page.get_by_role("link", name="Skills").click()
    page.get_by_role("heading", name="Changed in the last seven days").wait_for()
    page.get_by_role("listitem").filter(has_text="write-notes").get_by_role("link").click()
    page.get_by_role("link", name=re.compile("Take back the last change")).click()
    page.get_by_role("button", name="Bring v1 back").click()
    expect(page.locator(".toast")).to_contain_text("write-notes is back to version 1")
    assert "before every commit" in file.read_text(encoding="utf-8")


def test_what_did_learning_cost_this_week(worked_on: ServedDashboard, eyes: Eyes) -> None:
    board = worked_on.board
    one = CallEntry(
        happened=board.context.now(),
        workspace=board.ws.name,
        stage="judge",
        what="complete",
        model="sample-model-1",
        prompt_hash="",
        tokens=Tokens(input=1000, output=200),
        cost_usd=Decimal("0.25"),
        seconds=1.0,
        outcome="ok",
    )
    with board.context.store.write() as transaction:
        calls.add_all(transaction, [one, one])
    page = eyes.open(worked_on)
    page.get_by_role("heading", name="The last seven days").wait_for()
    page.get_by_role("link", name=re.compile(r"\$0\.50")).click()
    expect(page.locator("dl", has_text="Learning").last).to_contain_text("$0.50, 2 calls")
    page.get_by_role("link", name="2 model calls").click()
    expect(page.locator("tbody tr")).to_have_count(2)


def test_reject_all_noise_and_take_that_back(worked_on: ServedDashboard, eyes: Eyes) -> None:
    ws = worked_on.board.ws
    page = eyes.open(worked_on)
    page.get_by_role("button", name="Reject the 6 weak ones").click()
    page.get_by_role("button", name="Reject 6", exact=True).last.click()
    expect(page.locator(".toast")).to_contain_text("Rejected 6 lessons.")
    assert (sum(one.is_open for one in ws.lessons()), len(ws.drafts())) == (3, 2)
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".toast")).to_contain_text("6 lessons wait for a decision again.")
    page.get_by_role("link", name="Weak 6").click()
    page.get_by_role("button", name="Reject all shown (6)").click()
    page.get_by_role("button", name="Reject 6", exact=True).last.click()
    expect(page.locator(".toast").last).to_contain_text("Rejected 6 lessons.")
    assert (sum(one.is_open for one in ws.lessons()), len(ws.drafts())) == (3, 2)
