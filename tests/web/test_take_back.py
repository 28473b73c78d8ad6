"""Every reversible change can be taken back later: on the audit page, and on the page of what was changed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dashboard_world import add_proof, ship_skill

from metier.library.lessons import get_lesson
from metier.library.proposals.drafts import get_draft
from metier.proof.replay.cases import find_case, list_cases
from metier.runs.queries import get_verdict
from metier.store.tables import audit

if TYPE_CHECKING:
    from dashboard_world import ServedDashboard

FIRST, SECOND = "0000000000a0", "0000000000a1"


def newest(served: ServedDashboard) -> int:
    with served.board.context.store.read() as transaction:
        return audit.list_newest(transaction, 1)[0].sequence


def take_back(served: ServedDashboard) -> dict[str, str]:
    """Press the button beside the newest action, which both pages show."""
    address = f"/audit/{newest(served)}/take-back"
    assert f'data-post="{address}"' in served.get("/audit").text
    answer = served.post(address)
    assert answer.status == 200, answer.text
    return answer.json


def status(served: ServedDashboard, lesson: str = FIRST) -> str:
    return get_lesson(served.board.context, lesson).status


def test_each_decision_on_a_lesson_goes_back_to_what_it_was_before(served: ServedDashboard) -> None:
    served.post(f"/lessons/{FIRST}/approve", step="remind")
    for act, after in (("pause", "paused"), ("forget", "forgotten")):
        served.post(f"/lessons/{FIRST}/{act}")
        assert status(served) == after
        assert f'data-post="/audit/{newest(served)}/take-back"' in served.get(f"/lessons/{FIRST}").text
        take_back(served)
        lesson = get_lesson(served.board.context, FIRST)
        assert (lesson.status, lesson.check and lesson.check.step) == ("approved", "remind")
        served.post(f"/lessons/{FIRST}/approve", step="remind")


def test_a_sharper_step_goes_back_to_the_milder_one_and_a_yes_back_to_review(served: ServedDashboard) -> None:
    served.post(f"/lessons/{FIRST}/approve", step="observe")
    served.post(f"/lessons/{FIRST}/approve", step="deny")
    done = take_back(served)
    lesson = get_lesson(served.board.context, FIRST)
    assert (lesson.status, lesson.check and lesson.check.step) == ("approved", "observe")
    served.post(f"/undo/{done['undo']}")
    lesson = get_lesson(served.board.context, FIRST)
    assert lesson.check
    assert lesson.check.step == "deny"
    served.post(f"/lessons/{SECOND}/approve")
    assert "Put back to review" in served.get("/audit").text
    assert take_back(served)["said"].startswith("Waits for a decision again: ")
    assert get_lesson(served.board.context, SECOND).approved == ""


def test_an_edit_brings_the_old_words_back(served: ServedDashboard) -> None:
    before = get_lesson(served.board.context, FIRST).text
    served.post(f"/lessons/{FIRST}/edit", text="Name the files that you stage.")
    take_back(served)
    assert get_lesson(served.board.context, FIRST).text == before


def test_an_edit_says_which_step_it_takes_away_and_brings_it_back(served: ServedDashboard) -> None:
    before = get_lesson(served.board.context, FIRST).text
    served.post(f"/lessons/{FIRST}/approve", step="deny")
    kept = served.post(f"/lessons/{FIRST}/edit", text="Stage by name; never `git add .`.").json
    assert "no longer" not in kept["said"]
    lost = served.post(f"/lessons/{FIRST}/edit", text="Never `git push`.").json
    assert "Calls are no longer denied" in lost["said"]
    take_back(served)
    lesson = get_lesson(served.board.context, FIRST)
    assert (lesson.text, lesson.check and lesson.check.step) == ("Stage by name; never `git add .`.", "deny")
    served.post(f"/lessons/{FIRST}/edit", text="Never `git push`.")
    served.post(f"/lessons/{FIRST}/edit", text=before)
    served.post(f"/lessons/{FIRST}/forget")
    take_back(served)
    lesson = get_lesson(served.board.context, FIRST)
    assert (lesson.status, lesson.check and lesson.check.step) == ("approved", "observe"), "nobody agreed to more"


def test_only_the_last_change_of_a_thing_is_offered(served: ServedDashboard) -> None:
    served.post(f"/lessons/{FIRST}/reject")
    first = newest(served)
    served.post(f"/lessons/{FIRST}/approve")
    page = served.get("/audit").text
    assert f"/audit/{first}/take-back" not in page
    refused = served.post(f"/audit/{first}/take-back")
    assert refused.status == 409
    assert "something changed it since" in refused.text
    assert status(served) == "approved"
    assert served.post("/audit/99999/take-back").status == 404
    assert served.post("/audit/x/take-back").status == 404


def test_a_rejected_draft_a_mark_and_a_case_are_taken_back(served: ServedDashboard) -> None:
    ws = served.board.ws
    draft = next(one for one in ws.drafts() if one.target == "fetch-tool")
    served.post(f"/drafts/{draft.id}/reject")
    assert f"/?show=rejected&amp;item={draft.id}" in served.get("/audit").text
    take_back(served)
    assert get_draft(ws.library, draft.id).status == "quarantined"
    run = ws.runs(1)[0].id
    for word in ("good", "bad"):
        served.post(f"/runs/{run}/mark", mark=word)
    take_back(served)
    verdict = get_verdict(ws.context, run)
    assert verdict
    assert verdict.success
    ship_skill(ws)
    add_proof(ws)
    case = list_cases(ws.context, "proposed")[0]
    served.post(f"/proof/cases/{case.id}/accept", status="proposed")
    done = take_back(served)
    assert find_case(ws.context, case.id)[1] == "proposed"
    served.post(f"/undo/{done['undo']}")
    assert find_case(ws.context, case.id)[1] == "accepted"


def test_a_change_of_a_skill_leads_to_its_versions(served: ServedDashboard) -> None:
    ship_skill(served.board.ws)
    page = served.get("/audit?about=skills").text
    assert len(re.findall(r'href="/skills/write-notes#versions">Take back', page)) == 1


def test_a_rejected_lesson_is_put_back_from_its_page_and_from_the_list(served: ServedDashboard) -> None:
    served.post(f"/lessons/{FIRST}/reject")
    for address in (f"/lessons/{FIRST}", "/lessons?state=rejected"):
        assert f'data-post="/lessons/{FIRST}/reopen"' in served.get(address).text
    done = served.post(f"/lessons/{FIRST}/reopen", stay=True).json
    assert (done["go"], status(served)) == ("", "proposed")
