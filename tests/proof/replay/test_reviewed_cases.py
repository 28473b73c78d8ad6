"""Learning replays by itself: only on cases that a person accepted and within a budget; else it says it cannot tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from learn_world import TESTS, learned, opened, task, the_draft
from loopback import Loopback, answers, completion

from metier.library.proposals.drafts import proposed_change
from metier.library.proposals.gate import DOUBT, NoCases
from metier.proof.learn_and_prove import learn_and_prove
from metier.proof.replay.gate import ReplayOptions
from metier.proof.replay.reviewed_cases import ReviewedCases
from metier.store.tables.training import cases
from metier.types.trials import Case

if TYPE_CHECKING:
    from pathlib import Path

    from loopback import Handler

    from metier.store.tables.training.cases import CaseStatus
    from metier.workspace import Workspace

CHECKED = '{"kind":"contains","texts":["42 passed"]}'
COMMAND = '{"kind":"command","command":["make","test"]}'
MODEL = "openai:small@http://127.0.0.1:9/v1"
NONE_FITS = "no accepted case fits it (metier cases build)"


def put_cases(ws: Workspace, count: int, status: CaseStatus = "accepted", scorer: str = CHECKED) -> None:
    """Cases of the work that teaches a skill, from other runs."""
    made = [
        Case(id=f"case{at}", input=f"{TESTS[0]}, part {at}", scorer=scorer, origin=f"run:other{at}", split="val")
        for at in range(count)
    ]
    with ws.context.store.write() as transaction:
        cases.put(transaction, cases.suite_of(status), made)


def knows(case: Case, text: str) -> str:
    """An agent that succeeds with the skill only."""
    return "42 passed" if text else "no idea"


def test_a_draft_that_reviewed_cases_prove_ships_in_mode_apply_with_its_receipt(tmp_path: Path) -> None:
    with opened(tmp_path / "shop", mode="apply") as ws:
        ws.deliver(task(TESTS))
        put_cases(ws, 8)
        (version,) = learned(ws, ReviewedCases(ws.library, ReplayOptions(target=knows))).applied
        assert version.status == "active"
        assert version.receipt.startswith("accept: replay on ")


def test_a_draft_that_they_speak_against_is_rejected(tmp_path: Path) -> None:
    with opened(tmp_path / "shop", mode="apply") as ws:
        ws.deliver(task(TESTS))
        put_cases(ws, 12)
        against = ReplayOptions(target=lambda case, text: "" if text else "42 passed")
        result = learned(ws, ReviewedCases(ws.library, against))
        assert result.applied == ()
        assert "the gate said no: reject: replay on" in result.taken[0].reason


def test_a_pass_without_cases_says_so_with_the_draft(tmp_path: Path) -> None:
    with opened(tmp_path / "shop", mode="apply") as ws:
        ws.deliver(task(TESTS))
        pending = learn_and_prove(ws.library)
        while True:
            try:
                next(pending)
            except StopIteration as end:
                (taken,) = end.value.taken
                break
        assert taken.reason == f"not proven (uninformative: {NONE_FITS}), so it waits for your yes"
        assert taken.draft.notes[-1] == f"{DOUBT}uninformative: {NONE_FITS}"


@pytest.mark.parametrize(
    ("count", "status", "scorer", "settings", "reason"),
    [
        (0, "accepted", CHECKED, {}, NONE_FITS),
        (8, "proposed", CHECKED, {}, NONE_FITS),
        (8, "accepted", COMMAND, {}, NONE_FITS),
        (3, "accepted", CHECKED, {}, "3 accepted cases fit it, and 5 are needed (metier cases build)"),
        (8, "accepted", CHECKED, {"model": ""}, "8 accepted cases fit it, and there is no model to try them with"),
        (8, "accepted", CHECKED, {"allowed": False}, "and may not be sent (metier models allow openai@127.0.0.1:9)"),
        (8, "accepted", CHECKED, {"budget_usd": 0}, "and the budget of a day is 0 (budget_usd)"),
    ],
)
def test_what_cannot_be_tried_is_uninformative_in_plain_words(
    tmp_path: Path, count: int, status: CaseStatus, scorer: str, settings: dict[str, Any], reason: str
) -> None:
    with opened(tmp_path / "shop", mode="apply") as ws:
        ws.deliver(task(TESTS))
        learned(ws, NoCases())
        put_cases(ws, count, status, scorer)
    given: dict[str, Any] = {"mode": "apply", "model": MODEL, "allowed": True}
    with opened(tmp_path / "shop", **(given | settings)) as ws:
        change = proposed_change(ws.library, the_draft(ws))
        said = ReviewedCases(ws.library).decide(the_draft(ws), change.before, change.after)
    assert said.action == "uninformative"
    assert said.reason.startswith("uninformative: ")
    assert reason in said.reason


def knowing(handler: Handler) -> None:
    """A model that succeeds only with the steps of the skill before it."""
    has_skill = b"pytest tests/test_login.py" in handler.asked.body
    answers(completion("42 passed" if has_skill else "no idea"))(handler)


@pytest.mark.parametrize(("calls", "action"), [(0, "accept"), (6, "uninformative")])
def test_the_configured_model_is_asked_and_a_budget_that_is_spent_ends_it(
    tmp_path: Path, calls: int, action: str
) -> None:
    with opened(tmp_path / "shop", mode="apply") as ws:
        ws.deliver(task(TESTS))
        learned(ws, NoCases())
        put_cases(ws, 8)
    with Loopback(knowing) as server:
        settings = {"model": "openai:small", "model_url": server.url, "model_key": "none", "budget_calls": calls}
        with opened(tmp_path / "shop", mode="apply", **settings) as ws:
            change = proposed_change(ws.library, the_draft(ws))
            said = ReviewedCases(ws.library).decide(the_draft(ws), change.before, change.after)
        assert said.action == action, said.reason
        if action == "accept":
            assert said.reason.startswith("replay on chat=openai:small: +100.0 points")
            assert len(server.seen) == 16
        else:
            assert said.reason.startswith("uninformative: It stopped after ")
            assert len(server.seen) <= calls
