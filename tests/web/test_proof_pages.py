"""Proof: trials with their arms and interval, what a new one takes, cases card by card; every change can be undone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from dashboard_world import HOSTILE, add_proof, make_project, serve_dashboard, ship_skill
from trial_world import SKILL, past, ready
from waiting import until

from metier.library.lessons import approve_lesson, list_lessons
from metier.proof.replay.cases import find_case, list_cases
from metier.proof.trials.trials import list_trials
from metier.store.tables.selection import trials
from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from dashboard_world import ServedDashboard


@pytest.fixture(scope="module")
def proof(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedDashboard]:
    """A dashboard with a running trial and cases; only looked at."""
    ws = make_project(tmp_path_factory.mktemp("proof") / "project")
    ship_skill(ws)
    add_proof(ws)
    with serve_dashboard(ws) as served:
        yield served


@pytest.fixture
def due(tmp_path: Path) -> Iterator[ServedDashboard]:
    """A dashboard of a workspace in which a skill was due in forty sessions."""
    folder = tmp_path / "shop"
    folder.mkdir()
    ws = Workspace.open(folder)
    past(ready(ws))
    with serve_dashboard(ws) as served:
        yield served


def test_the_list_of_trials_has_arms_gain_and_state(proof: ServedDashboard) -> None:
    page = proof.get("/proof").text
    for words in ("write-notes", "running", "/proof/trials/0123abcd", "Cases from your runs (2 wait for you)"):
        assert words in page, words
    assert "No trials yet" not in page


def test_a_trial_shows_its_interval_as_a_picture_its_arms_and_what_is_still_needed(proof: ServedDashboard) -> None:
    page = proof.get("/proof/trials/0123abcd").text
    for words in (
        '<svg class="bars gain" viewBox="0 0 360 76" role="img" aria-label="gain +100 points',
        "25 sessions: 24 count, 1 wait for an outcome, 0 failed for a reason outside the work (in neither arm)",
        "after 300 runs: 276 to go",
        "with the skill",
        "20 is enough",
        "Stop it: every session gets the skill again",
    ):
        assert words in page, words
    with proof.board.context.store.read() as transaction:
        [one] = trials.list_all(transaction)
        assert {row.position for row in trials.sessions(transaction, one)} == {None}, "looking writes nothing"
    assert "/proof/trials/0123abcd" in proof.get("/skills/write-notes").text
    assert proof.get("/proof/trials/ffff0000").status == 404


def test_a_new_trial_says_what_it_takes_and_starts_and_stops_with_an_undo(due: ServedDashboard) -> None:
    until(lambda: "Runs needed" in due.get(f"/proof/new/{SKILL}").text, "the plans")
    page = due.get(f"/proof/new/{SKILL}").text
    for words in ("+10 points", "+30 points", "40.0 sessions a day", "Runs needed", "Ends at the latest", "--force"):
        assert words in page, words
    assert due.post(f"/proof/new/{SKILL}/start", points="15").status == 400
    started = due.post(f"/proof/new/{SKILL}/start", points="30").json
    [trial] = list_trials(due.board.context)
    assert started["command"] == f"metier trial stop {SKILL}"
    assert started["go"] == f"/proof/trials/{trial.id}"
    assert "One runs already" in due.get(f"/proof/new/{SKILL}").text
    stopped = due.post(f"/proof/trials/{trial.id}/stop").json
    assert list_trials(due.board.context)[0].status == "stopped"
    assert "goes on" in due.post(f"/undo/{stopped['undo']}").json["said"]
    assert list_trials(due.board.context)[0].status == "running"
    assert "is stopped" in due.post(f"/undo/{started['undo']}").json["said"]
    assert list_trials(due.board.context)[0].reason == "taken back"


def test_a_skill_that_cannot_be_tried_says_why(due: ServedDashboard) -> None:
    assert due.get("/proof/new/nothing").status == 404
    link = due.board.ws.root / ".claude/skills" / SKILL
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(due.board.ws.root / ".agents/skills" / SKILL, target_is_directory=True)
    refused = due.get(f"/proof/new/{SKILL}")
    assert (refused.status, "cannot be withheld" in refused.text) == (400, True)


def test_cases_are_listed_filtered_and_shown_as_text(proof: ServedDashboard) -> None:
    assert proof.get("/proof/cases").text.count("data-row") == 3
    assert proof.get("/proof/cases?state=accepted").text.count("data-row") == 1
    assert "No case fits" in proof.get("/proof/cases?q=nothing").text
    card = proof.get("/proof/cases/run-0000").text
    assert HOSTILE.split(">")[0] + ">" not in card
    for words in ("May this be tried?", "the answer names 42.50", "ledger.csv", "1 of 2", "/proof/cases/run-1111aaaa"):
        assert words in card, words


def test_a_case_is_decided_card_by_card_and_taken_back(served: ServedDashboard) -> None:
    ctx = served.board.context
    ship_skill(served.board.ws)
    add_proof(served.board.ws)
    done = served.post("/proof/cases/run-1111/accept", status="proposed").json
    assert (find_case(ctx, "run-1111")[1], done["command"]) == ("accepted", "metier cases reject run-1111aaaa")
    assert served.post("/proof/cases/run-1111/reject", status="proposed").status == 409
    assert served.post(f"/undo/{done['undo']}").json["said"] == "Case run-1111aaaa: waits for you."
    served.post("/proof/cases/run-0000/reject", status="proposed")
    assert [one.id for one in list_cases(ctx, "rejected")] == ["run-0000aaaa"]
    assert "1 of 1" in served.get("/proof/cases/run-1111").text


def test_a_lessons_page_tells_whether_its_trouble_came_back(served: ServedDashboard) -> None:
    ctx = served.board.context
    lesson = next(one for one in list_lessons(ctx) if one.kind == "rule" and one.status == "proposed")
    assert "Did it come back?" not in served.get(f"/lessons/{lesson.id}").text
    approve_lesson(ctx, lesson.id)
    assert "Did it come back?" in served.get(f"/lessons/{lesson.id}").text
