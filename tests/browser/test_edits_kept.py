"""A text that a person changed in the dashboard is never lost: it is saved, or a question comes before it goes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from playwright.sync_api import expect

from metier.library.lessons import get_lesson

if TYPE_CHECKING:
    from pathlib import Path

    from dashboard_world import ServedDashboard
    from eyes import Eyes
    from playwright.sync_api import Page

FIRST, SECOND = "0000000000a0", "0000000000a1"
ADDED = "3. Write down what it was.\n"


def toast(page: Page, words: str) -> None:
    page.locator(".toast", has_text=words).first.wait_for()


def open_edit(served: ServedDashboard, eyes: Eyes, added: str = ADDED) -> Page:
    """The card of a draft with a changed text that is not saved."""
    draft = next(one for one in served.board.ws.drafts() if one.target == "run-the-tests")
    page = eyes.open(served, f"/?item={draft.id}")
    page.get_by_role("button", name="Edit").click()
    page.locator("#document").fill(page.locator("#document").input_value() + added)
    return page


def shipped(served: ServedDashboard) -> Path:
    return served.board.ws.root / ".agents/skills/run-the-tests/SKILL.md"


def test_a_yes_to_a_changed_draft_saves_it_first_and_ships_after_a_second_look(
    worked_on: ServedDashboard, eyes: Eyes
) -> None:
    page = open_edit(worked_on, eyes)
    page.get_by_role("button", name="Yes, ship it").click()
    toast(page, "Saved as a new draft for run-the-tests. Look once more, then say yes or no.")
    assert not shipped(worked_on).exists()
    page.locator(".diff .add", has_text="Write down what it was").wait_for()
    eyes.picture(page, "review-edit-saved")
    page.keyboard.press("a")
    toast(page, "Shipped run-the-tests v1")
    assert "Write down what it was" in shipped(worked_on).read_text(encoding="utf-8")


def test_the_key_for_yes_and_ctrl_enter_save_a_changed_draft_too(worked_on: ServedDashboard, eyes: Eyes) -> None:
    page = open_edit(worked_on, eyes)
    page.keyboard.press("Escape")
    page.keyboard.press("a")
    toast(page, "Saved as a new draft")
    page.locator(".diff .add", has_text="Write down what it was").wait_for()
    expect(page.locator("#card")).to_be_focused()
    page.keyboard.press("e")
    page.locator("#document").fill(page.locator("#document").input_value() + "4. Tell the others.\n")
    page.keyboard.press("Control+Enter")
    page.locator(".diff .add", has_text="Tell the others").wait_for()
    assert not shipped(worked_on).exists()
    eyes.picture(page, "review-edit-twice")


def test_a_no_later_or_another_page_asks_before_a_changed_text_is_thrown_away(
    worked_on: ServedDashboard, eyes: Eyes
) -> None:
    page = open_edit(worked_on, eyes)
    ask = page.locator("#ask")
    for way in (
        page.get_by_role("button", name="No", exact=True),
        page.get_by_role("link", name="Later"),
        page.locator("nav#nav a", has_text="Lessons"),
        page.locator("#queue [data-row]").first,
        page.get_by_role("button", name="Cancel", exact=True).first,
    ):
        way.click()
        expect(ask).to_contain_text("Throw your changes away?")
        ask.get_by_role("button", name="Cancel").click()
        expect(page.locator("#document")).to_have_value(re.compile("Write down what it was"))
        expect(page.locator("#document")).to_be_focused()
    assert next(one for one in worked_on.board.ws.drafts() if one.target == "run-the-tests").status == "candidate"
    page.get_by_role("link", name="Later").click()
    eyes.picture(page, "review-edit-ask")
    ask.get_by_role("button", name="Throw away").click()
    page.wait_for_url(re.compile("item=(?!.*run-the-tests)"))


def test_going_back_in_the_browser_keeps_a_changed_text(worked_on: ServedDashboard, eyes: Eyes) -> None:
    page = eyes.open(worked_on)
    page.locator("#queue [data-row]").nth(1).click()
    page.wait_for_url(re.compile(SECOND))
    page.keyboard.press("e")
    page.locator("#words").fill("In other words.")
    page.go_back()
    page.locator("#ask").get_by_role("button", name="Cancel").click()
    page.wait_for_url(re.compile(SECOND))
    expect(page.locator("#words")).to_have_value("In other words.")


def test_a_lessons_yes_names_the_persons_words_while_they_differ(worked_on: ServedDashboard, eyes: Eyes) -> None:
    page = eyes.open(worked_on)
    page.keyboard.press("e")
    page.locator("#words").fill("Name the files that you stage.")
    eyes.picture(page, "review-lesson-edit")
    page.get_by_role("button", name="Cancel", exact=True).first.click()
    page.locator("#ask").get_by_role("button", name="Throw away").click()
    expect(page.locator("#words")).to_be_hidden()
    expect(page.get_by_role("button", name="Yes", exact=True)).to_be_visible()
    page.keyboard.press("e")
    page.locator("#words").fill("Name the files that you stage.")
    page.get_by_role("button", name="Yes, with your words").click()
    toast(page, "Approved: Name the files")
    assert get_lesson(worked_on.board.context, FIRST).text == "Name the files that you stage."


def test_what_is_said_covers_no_input_and_goes_when_one_types(worked_on: ServedDashboard, eyes: Eyes) -> None:
    page = open_edit(worked_on, eyes)
    page.set_viewport_size({"width": 1280, "height": 800})
    page.get_by_role("button", name="Save and review again").click()
    toast(page, "Saved as a new draft")
    page.get_by_role("button", name="Edit").focus()
    said = page.locator("#toasts").bounding_box()
    page.evaluate("document.querySelector('[data-edit]').hidden = false")
    card = page.locator("#card").bounding_box()
    assert said
    assert card
    assert said["x"] + said["width"] <= card["x"]
    eyes.picture(page, "review-edit-toast")
    page.locator("#document").press_sequentially("x")
    expect(page.locator(".toast")).to_have_count(0)
