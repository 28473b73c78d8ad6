"""A run is evidence or has a reason why not, and the first reason counts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from metier.learning.judge import is_claimed, rejection, sift
from metier.runs.derive import record_of
from metier.types import Outcome, Record, Run

RUN = Run(message="fix the login bug", output="Fixed.", status="completed", external_id="1")


def record(run: Run = RUN, **changes: object) -> Record:
    return replace(record_of(run, "here", "now"), **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (record(workspace="there"), "not a run of this workspace"),
        (record(replace(RUN, status=None)), "success unknown"),
        (record(state="clustered"), "already clustered"),
        (record(replace(RUN, session=" HeartBeat ")), "heartbeat session"),
        (record(replace(RUN, output=" heartbeat_ok\n")), "heartbeat answer"),
        (record(replace(RUN, output="HEARTBEAT_OK", outcome=Outcome(success=True, by="test"))), "heartbeat answer"),
        (record(summary="  "), "no summary"),
        (record(replace(RUN, output=" \n")), "claimed success without a final output"),
        (record(), None),
    ],
)
def test_a_run_is_rejected_with_its_reason(made: Record, reason: str | None) -> None:
    assert rejection(made, "here") == reason


def test_of_several_reasons_the_first_one_counts() -> None:
    everything = record(replace(RUN, status=None, session="heartbeat", output=""), workspace="there", state="clustered")
    assert rejection(everything, "here") == "not a run of this workspace"
    assert rejection(replace(everything, workspace="here"), "here") == "success unknown"
    assert rejection(replace(everything, workspace="here", success=True), "here") == "already clustered"
    assert rejection(replace(everything, workspace="here", success=True, state="new"), "here") == "heartbeat session"


def test_a_failure_needs_no_output_or_it_would_vanish_from_the_ratio() -> None:
    assert rejection(record(replace(RUN, status="error", output="")), "here") is None


def test_a_success_that_somebody_else_stated_needs_no_output() -> None:
    stated = record(replace(RUN, output="", outcome=Outcome(success=True, by="verifier")))
    assert rejection(stated, "here") is None
    assert not is_claimed(stated)


def test_every_rejection_is_visible_and_the_order_is_kept() -> None:
    runs = [
        record(replace(RUN, external_id=str(number), status=None if number % 2 else "error")) for number in range(6)
    ]
    sifted = sift(runs, "here")
    assert [one.id for one in sifted.kept] == [runs[0].id, runs[2].id, runs[4].id]
    assert [(one.run, one.reason) for one in sifted.rejected] == [(runs[n].id, "success unknown") for n in (1, 3, 5)]
