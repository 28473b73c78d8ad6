"""Work that keeps failing is reported, and nothing is taught from it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sessions import failed, said

from metier.learning.stages.learn_lessons import external_ids
from metier.types import Outcome, Run, ToolCall

if TYPE_CHECKING:
    from metier.workspace import Workspace


def booked(number: int, *, success: bool) -> Run:
    """A request to an agent with tools of its own."""
    error = "Error: payment amount does not add up, total price is 375, but paid 299"
    call = ToolCall(name="book_reservation", ok=success, input="{}", output="ok" if success else error)
    run = said(f"book flight {number}", call, session=f"s{number}")
    outcome = Outcome(success=success, by="verifier", reason="looked at the database")
    return replace(run, outcome=outcome, external_id=f"ext-{number}")


def merged(number: int) -> Run:
    """A merge that failed."""
    return said(f"merge {number}", failed("tool merge it", "error: cannot lock the ref"), session=f"s{number}")


def test_a_tool_that_most_runs_fail_with_is_a_problem_with_its_error(ws: Workspace) -> None:
    ws.deliver([booked(1, success=False), booked(2, success=False), booked(3, success=True)])
    ws.learn()
    found = {one.label: one for one in ws.problems()}
    tool = found["book_reservation: 2 of 3 runs failed"]
    assert external_ids(ws.context, [tool])[tool.id] == ["ext-1", "ext-2"]
    assert "payment amount does not add up" in tool.error
    assert ws.lessons() == []


def test_a_command_whose_error_comes_back_without_a_remedy_is_a_problem(ws: Workspace) -> None:
    runs = [
        said(f"merge {at}", failed("tool merge it", "error: cannot lock the ref"), session=f"s{at}") for at in range(3)
    ]
    ws.deliver(runs)
    ws.learn()
    assert [(one.sessions, one.error) for one in ws.problems()] == [(3, "cannot lock the ref")]


def test_what_fails_once_or_twice_is_none(ws: Workspace) -> None:
    ws.deliver(
        [said(f"merge {at}", failed("tool merge it", "error: cannot lock the ref"), session=f"s{at}") for at in "ab"]
    )
    ws.deliver([booked(1, success=False), booked(2, success=True)])
    ws.learn()
    assert ws.problems() == []


def cancelled(number: int, *, success: bool) -> Run:
    """A request to cancel: agents that did well said why they could not."""
    call = ToolCall(name="cancel_booking" if not success else "get_user", input="{}", output="ok")
    why = "I am unable to cancel it, since the booking is older than 24 hours and has no insurance."
    run = said(f"cancel trip {number}", call, session=f"c{number}", answer=why if success else "Cancelled.")
    return replace(run, outcome=Outcome(success=success, by="verifier"), external_id=f"c-{number}")


def test_a_problem_has_the_reason_that_runs_which_went_well_gave(ws: Workspace) -> None:
    ws.deliver([cancelled(at, success=at > 2) for at in range(5)])
    ws.learn()
    (problem,) = [one for one in ws.problems() if one.label.startswith("cancel_booking")]
    assert problem.rule == "I am unable to cancel it, since the booking is older than 24 hours and has no insurance."


def test_a_problem_says_what_runs_that_went_well_said_before_the_tool(ws: Workspace) -> None:
    asks = "Please confirm if you would like to proceed."
    calls = [ToolCall(name="cancel_booking", input="{}", said=f"Trip {at} is found.\n\n{asks}") for at in range(3)]
    bare = ToolCall(name="cancel_booking", input="{}")
    won = [said(f"cancel trip {at}", call, session=f"w{at}", answer="Cancelled.") for at, call in enumerate(calls)]
    lost = [said(f"cancel the trip {at}", bare, session=f"l{at}", answer="Cancelled.") for at in range(4)]
    ws.deliver(
        [replace(one, outcome=Outcome(success=one in won, by="verifier")) for one in (*won, *lost)]
    )  # fmt: skip
    ws.learn()
    (problem,) = [one for one in ws.problems() if one.label.startswith("cancel_booking")]
    assert problem.rule == f"Before it, runs that went well said: “{asks}”"
