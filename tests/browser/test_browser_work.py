"""What a person does on the dashboard, in a real browser: by mouse, by keyboard alone, and while things change."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dashboard_world import add_running_training, add_training, ship_skill
from playwright.sync_api import expect

from metier.library.lessons import get_lesson
from metier.training.service.reports import report_of
from metier.types import Run
from metier.web.training_report import write_report

if TYPE_CHECKING:
    from pathlib import Path

    from dashboard_world import ServedDashboard
    from eyes import Eyes
    from playwright.sync_api import Page

FIRST, SECOND = "0000000000a0", "0000000000a1"


def status(served: ServedDashboard, lesson: str) -> str:
    return get_lesson(served.board.context, lesson).status


def toast(page: Page, words: str) -> None:
    page.locator(".toast", has_text=words).first.wait_for()


def test_yes_no_and_undo_by_mouse(worked_on: ServedDashboard, eyes: Eyes) -> None:
    page = eyes.open(worked_on)
    page.get_by_label("remind the agent").check()
    page.get_by_role("button", name="Yes").click()
    toast(page, "Approved: Stage only")
    eyes.picture(page, "review-undo")
    assert status(worked_on, FIRST) == "approved"
    assert page.url.endswith(f"?item={SECOND}")
    page.get_by_role("button", name="Undo").click()
    toast(page, "waits for a decision again")
    assert status(worked_on, FIRST) == "proposed"
    page.goto(f"{worked_on.board.access.origin}/?item={SECOND}")
    page.get_by_role("button", name="No", exact=True).click()
    toast(page, "Rejected: Run the tests")
    assert status(worked_on, SECOND) == "rejected"


def test_a_review_by_keyboard_alone(worked_on: ServedDashboard, eyes: Eyes) -> None:
    page = eyes.open(worked_on)
    keys = page.keyboard
    keys.press("j")
    page.wait_for_url(re.compile(SECOND))
    keys.press("k")
    page.wait_for_url(re.compile(FIRST))
    keys.press("e")
    page.locator("#words").wait_for()
    keys.press("Control+a")
    keys.type("Name the files that you stage.")
    keys.press("Escape")
    keys.press("a")
    toast(page, "Approved: Name the files")
    assert get_lesson(worked_on.board.context, FIRST).text == "Name the files that you stage."
    keys.press("u")
    toast(page, "waits for a decision again")
    keys.press("r")
    toast(page, "Rejected")
    keys.press("?")
    assert page.locator("#help").is_visible()
    eyes.picture(page, "help")
    keys.press("Escape")
    keys.press("g")
    keys.press("r")
    page.wait_for_url(re.compile("/runs$"))
    keys.press("/")
    keys.type("number 2")
    keys.press("Enter")
    page.wait_for_url(re.compile(r"q=number\+2"))
    page.locator("td", has_text="Fix the login test number 2").wait_for()
    keys.press("Escape")
    keys.press("j")
    keys.press("Enter")
    page.locator("#panel .talk").wait_for()
    assert "open=" in page.url
    keys.press("Escape")
    page.locator("#panel").wait_for(state="hidden")
    assert "open=" not in page.url


def test_an_address_shows_the_same_again(worked_on: ServedDashboard, eyes: Eyes) -> None:
    page = eyes.open(worked_on, "/runs")
    page.get_by_label("outcome").select_option("failed")
    page.wait_for_url(re.compile("outcome=failed"))
    page.locator("[data-row]").first.click()
    page.wait_for_url(re.compile("open="))
    page.locator("#panel .talk").wait_for()
    shown = page.locator("#panel h1").inner_text()
    page.reload()
    assert page.locator("#panel h1").inner_text() == shown
    assert page.get_by_label("outcome").input_value() == "failed"
    page.go_back()
    page.locator("#panel").wait_for(state="hidden")
    page.go_back()
    expect(page.get_by_label("outcome")).to_have_value("")


def test_a_draft_is_edited_shipped_and_taken_back(worked_on: ServedDashboard, eyes: Eyes) -> None:
    ws = worked_on.board.ws
    draft = next(one for one in ws.drafts() if one.target == "run-the-tests")
    page = eyes.open(worked_on, f"/?item={draft.id}")
    page.get_by_role("button", name="Edit").click()
    page.locator("#document").fill(page.locator("#document").input_value() + "3. Write down what it was.\n")
    page.get_by_role("button", name="Save and review again").click()
    toast(page, "Saved as a new draft")
    page.locator(".diff .add", has_text="Write down what it was").wait_for()
    page.get_by_role("button", name="Yes, ship it").click()
    toast(page, "Shipped run-the-tests v1")
    file = ws.root / ".agents/skills/run-the-tests/SKILL.md"
    assert "Write down what it was" in file.read_text(encoding="utf-8")
    page.get_by_role("button", name="Undo").last.click()
    toast(page, "no agent sees it")
    assert not file.exists()


def test_the_noise_goes_with_two_keys_and_one_undo_brings_it_back(worked_on: ServedDashboard, eyes: Eyes) -> None:
    ws = worked_on.board.ws
    page = eyes.open(worked_on)
    page.keyboard.press("Shift+R")
    expect(page.locator("#ask")).to_contain_text("Reject these 6? One undo brings all of them back.")
    expect(page.locator("#ask li")).to_have_count(6)
    expect(page.locator("#ask li").first).to_have_text("Weak proposal number 0. (little speaks for it)")
    expect(page.locator("#ask .yes")).to_have_text("Reject 6")
    eyes.picture(page, "review-bulk")
    page.keyboard.press("Escape")
    assert sum(one.is_open for one in ws.lessons()) == 9
    page.keyboard.press("Shift+R")
    page.keyboard.press("Enter")
    toast(page, "Rejected 6 lessons.")
    assert (sum(one.is_open for one in ws.lessons()), len(ws.drafts())) == (3, 2)
    expect(page.locator("#card")).to_be_focused()
    page.keyboard.press("u")
    toast(page, "6 lessons wait for a decision again.")
    assert (sum(one.is_open for one in ws.lessons()), len(ws.drafts())) == (9, 2)


def test_a_question_closed_just_before_does_not_answer_the_next_one(worked_on: ServedDashboard, eyes: Eyes) -> None:
    page = eyes.open(worked_on)
    page.keyboard.press("Shift+R")
    expect(page.locator("#ask")).to_be_visible()
    page.evaluate("() => { document.querySelector('#ask').close('no'); document.querySelector('#bulk').click(); }")
    page.wait_for_timeout(100)
    page.keyboard.press("Enter")
    toast(page, "Rejected 6 lessons.")


def test_some_are_selected_by_keys_and_rejected_together(worked_on: ServedDashboard, eyes: Eyes) -> None:
    page = eyes.open(worked_on)
    page.keyboard.press("x")
    page.keyboard.press("j")
    page.wait_for_url(re.compile(SECOND))
    page.keyboard.press("x")
    expect(page.locator("[data-pick]:checked")).to_have_count(2)
    expect(page.locator("#bulk")).to_have_text("Reject selected (2)")
    page.keyboard.press("Shift+R")
    expect(page.locator("#ask li")).to_have_count(2)
    page.keyboard.press("Enter")
    toast(page, "Rejected 2 lessons.")
    assert {status(worked_on, FIRST), status(worked_on, SECOND)} == {"rejected"}
    page.get_by_role("link", name="Rejected", exact=True).click()
    page.wait_for_url(re.compile("show=rejected"))
    page.goto(f"{worked_on.board.access.origin}/?show=rejected&item={FIRST}")
    eyes.picture(page, "review-rejected")
    page.keyboard.press("p")
    toast(page, "Waits for a decision again")
    assert status(worked_on, FIRST) == "proposed"
    page.keyboard.press("w")
    page.wait_for_url(re.compile("show=weak"))
    expect(page.locator("#bulk")).to_have_text("Reject all shown (6)")
    page.keyboard.press("Escape")
    page.wait_for_url(re.compile("/$"))


def test_a_yes_to_a_blocked_draft_says_why_not_and_what_to_do(worked_on: ServedDashboard, eyes: Eyes) -> None:
    page = eyes.open(worked_on, "/?show=blocked")
    page.keyboard.press("a")
    toast(page, "Review blocked it: ")
    toast(page, "Press r to reject it or e to change the text.")
    expect(page.get_by_role("button", name="Ship it anyway")).to_be_focused()
    eyes.picture(page, "review-blocked")
    assert not (worked_on.board.ws.root / ".agents/skills/fetch-tool").exists()


def test_an_undo_that_comes_too_late_says_where_changes_are(worked_on: ServedDashboard, eyes: Eyes) -> None:
    page = eyes.open(worked_on)
    page.keyboard.press("u")
    toast(page, "Nothing to undo in the last ten seconds. Every change is under Audit & costs.")
    page.locator(".toast").get_by_role("link", name="Audit").click()
    page.wait_for_url(re.compile("/audit$"))


def test_on_a_phone_what_waits_is_on_top_and_nothing_covers_the_buttons(worked_on: ServedDashboard, eyes: Eyes) -> None:
    page = eyes.open(worked_on, phone=True)
    waits, week, queue = (page.locator(one).bounding_box() for one in ("#waits", "#week", "#queue"))
    assert waits
    assert week
    assert queue
    assert waits["y"] < week["y"]
    assert waits["y"] + waits["height"] < 400
    assert "1 blocked" in page.locator("#waits").inner_text()
    page.get_by_role("link", name="See the list").click()
    expect(page.locator("#queue [data-row]").first).to_be_in_viewport()
    page.locator("#queue [data-row]").nth(1).click()
    page.wait_for_url(re.compile(SECOND))
    page.get_by_role("button", name="No", exact=True).click()
    toast(page, "Rejected: Run the tests")
    eyes.picture(page, "review-toast-phone")
    said, buttons = page.locator(".toast").bounding_box(), page.locator("#card .buttons").bounding_box()
    assert said
    assert buttons
    assert said["y"] + said["height"] <= buttons["y"] or buttons["y"] + buttons["height"] <= said["y"]


def test_a_run_is_marked_and_its_lines_lead_to_what_they_taught(worked_on: ServedDashboard, eyes: Eyes) -> None:
    run = next(one for one in worked_on.board.ws.runs(50) if one.run.correction)
    page = eyes.open(worked_on, f"/runs/{run.id}")
    assert page.locator(".turn.correction").count() == 1
    assert page.locator("details.steps[open]").count() == 0
    page.goto(f"{worked_on.board.access.origin}/runs/{run.id}#steps")
    page.reload()
    expect(page.locator("details.steps:not([open])")).to_have_count(0)
    page.get_by_role("button", name="It failed").click()
    toast(page, "as failed")
    page.locator(".tag.bad", has_text="failed").first.wait_for()
    assert worked_on.board.ws.run(run.id).success is False
    page.locator(".turn.correction .taught").first.click()
    page.wait_for_url(re.compile("/lessons/"))
    page.locator("h1", has_text="Stage only").wait_for()


def test_an_open_page_hears_of_new_runs_and_nothing_jumps(worked_on: ServedDashboard, eyes: Eyes) -> None:
    page = eyes.open(worked_on, "/runs")
    rows = page.locator("[data-row]").count()
    worked_on.board.ws.finish(Run(message="A new request from elsewhere", status="completed", output="Yes."))
    page.locator("#news").wait_for(timeout=15_000)
    assert page.locator("[data-row]").count() == rows
    eyes.picture(page, "runs-news")
    page.locator("#news").click()
    page.locator("[data-row]", has_text="A new request from elsewhere").wait_for()


def test_a_server_that_is_gone_is_said_plainly(worked_on: ServedDashboard, eyes: Eyes) -> None:
    page = eyes.open(worked_on)
    page.context.set_offline(True)
    page.get_by_role("button", name="No", exact=True).click()
    toast(page, "Is metier ui still running?")
    page.context.set_offline(False)
    eyes.allow("ERR_INTERNET_DISCONNECTED|ERR_NETWORK|Failed to load")


def test_yesterdays_change_of_a_skill_is_taken_back_and_undone(worked_on: ServedDashboard, eyes: Eyes) -> None:
    ws = worked_on.board.ws
    ship_skill(ws)
    file = ws.root / ".agents/skills/write-notes/SKILL.md"
    page = eyes.open(worked_on)
    page.keyboard.press("g")
    page.keyboard.press("s")
    page.wait_for_url(re.compile("/skills$"))
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("open=write-notes$"))
    page.get_by_role("link", name="Take back the last change").click()
    page.get_by_text("Bring v1 back?").wait_for()
    eyes.picture(page, "skill-bring-back")
    page.get_by_role("button", name="Bring v1 back").click()
    toast(page, "write-notes is back to version 1")
    assert "before every commit" in file.read_text(encoding="utf-8")
    page.get_by_text("What v3 changed, since v2").wait_for()
    expect(page.locator("#versions [data-row]").first).to_be_focused()
    expect(page.locator("#versions [data-row]").first).to_be_in_viewport()
    expect(page.locator("#versions [data-row][aria-current]")).to_have_text("v3")
    page.get_by_role("button", name="Undo").click()
    toast(page, "write-notes is back to version 2 again")
    assert "before every push" in file.read_text(encoding="utf-8")


def test_a_training_that_runs_grows_on_the_open_page(worked_on: ServedDashboard, eyes: Eyes) -> None:
    ws = worked_on.board.ws
    page = eyes.open(worked_on, f"/training/{add_running_training(ws, 2)}")
    page.locator("#curve canvas").wait_for()
    assert page.locator("#steps tbody tr").count() == 2
    page.evaluate("document.body.dataset.stays = 'yes'")
    add_running_training(ws, 4)
    page.get_by_text("reason 4").wait_for(timeout=15_000)
    page.locator("#curve canvas").wait_for()
    assert page.locator("#curve canvas").count() == 1
    assert page.get_by_text("160 rollouts and questions").is_visible()
    assert page.evaluate("document.body.dataset.stays") == "yes"
    assert not page.locator("#news").is_visible()
    eyes.picture(page, "training-running")
    assert page.locator("#change .diff").count() == 0
    add_training(ws, name="abcd1234abcd1234")
    page.locator("#change .diff").wait_for(timeout=15_000)
    assert page.locator("#result .tag").inner_text() == "Confirmed"
    assert page.evaluate("document.body.dataset.stays") == "yes"


def test_the_report_file_shows_the_same_and_asks_for_nothing(
    worked_on: ServedDashboard, eyes: Eyes, tmp_path: Path
) -> None:
    ws = worked_on.board.ws
    file = write_report(ws.context, report_of(ws.context, add_training(ws)), str(tmp_path / "report.html"))
    page = eyes.open(worked_on, "/training/9907b73f5997a66f")
    words = page.locator("#result").inner_text()
    asked: list[str] = []
    alone = page.context.new_page()
    alone.on("request", lambda request: asked.append(request.url))
    alone.goto(file.as_uri())
    assert alone.locator("#result").inner_text() == words
    assert alone.locator("#curve svg").is_visible()
    assert asked == [file.as_uri()]
    eyes.picture(alone, "training-file")
