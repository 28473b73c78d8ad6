"""A skill nobody uses ages one step at a time, and only as far as the figures say."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metier.library.aging import STAGES, due_steps, next_status
from metier.runs.skill_usage import idle_days, retention
from metier.types.skills import Profile

if TYPE_CHECKING:
    from metier.types.skills import SkillStatus

START = datetime(2026, 1, 1, tzinfo=UTC)
USED = Profile(skill="s", workspace="w", origin="learned", last_used=START.isoformat())


def after(days: float, seconds: int = 0) -> str:
    return (START + timedelta(days=days, seconds=seconds)).isoformat()


def kept_at(days: float, value: float) -> float:
    """The retention at the start that is this value after so many idle days."""
    return value * 2 ** (days / 90)


@pytest.mark.parametrize("status", ["active", "provisional", "cold", "archived"])
def test_both_limits_must_be_passed_not_met(status: SkillStatus) -> None:
    stage = STAGES[status]
    low = replace(USED, status=status, retention=0.0)
    assert next_status(low, after(stage.days)) == status
    assert next_status(low, after(stage.days, seconds=1)) == stage.to
    days = stage.days + 10
    met = replace(USED, status=status, retention=kept_at(days, stage.retention))
    assert retention(met, after(days)) == stage.retention
    assert next_status(met, after(days)) == status
    assert next_status(replace(met, retention=met.retention - 0.001), after(days)) == stage.to


def test_an_unused_skill_goes_all_the_way_one_step_a_pass() -> None:
    profile = replace(USED, retention=1.0)
    went: list[str] = []
    for day in range(0, 1200, 7):
        status = next_status(profile, after(day))
        if status != profile.status:
            went.append(f"{status} on day {day}")
            profile = replace(profile, status=status)
    assert went == ["cold on day 161", "archived on day 210", "deleted on day 371"]
    late = replace(USED, retention=1.0)
    assert next_status(late, after(5000)) == "cold"


def test_manual_and_pinned_skills_and_what_is_deleted_are_left_alone() -> None:
    for profile in (
        replace(USED, origin="manual"),
        replace(USED, pinned=True),
        replace(USED, status="deleted"),
    ):
        assert next_status(profile, after(5000)) == profile.status
        assert due_steps([profile], after(5000), after(0)) == []


def test_a_skill_that_was_never_used_idles_from_its_last_version() -> None:
    profile = replace(USED, last_used="", changed=after(0))
    assert [step.reason for step in due_steps([profile], after(100), "")] == [
        "never used, and not changed for 100 days (limit 90); retention 0.092 (limit 0.3)"
    ]
    assert next_status(replace(profile, changed=""), after(5000)) == "active"


def test_the_reason_gives_the_figures() -> None:
    (step,) = due_steps([replace(USED, status="cold")], after(1180.9), after(0))
    assert (step.to, step.profile.status) == ("archived", "cold")
    assert step.reason == "not used for 1,180 days (limit 180); retention 0 (limit 0.2)"


def test_a_pass_dated_before_the_newest_record_ages_nothing() -> None:
    assert due_steps([USED], after(400), after(400, seconds=1)) == []
    assert [step.to for step in due_steps([USED], after(400), after(400))] == ["cold"]
    assert due_steps([USED], "2027-01-01T00:00:00+00:00", "2026-12-31T23:30:00-01:00") == []
    assert due_steps([USED], after(400), "some day") == due_steps([USED], "some day", after(1)) == []


def test_a_time_that_cannot_be_read_ages_nothing() -> None:
    assert next_status(replace(USED, last_used="2026"), after(5000)) == "active"


@given(
    status=st.sampled_from(["provisional", "active", "cold", "archived", "deleted"]),
    origin=st.sampled_from(["manual", "learned", "trained", "imported"]),
    kept=st.floats(0, 1),
    days=st.floats(-10, 2000),
    pinned=st.booleans(),
)
def test_a_step_is_taken_exactly_when_the_table_says_so(
    status: SkillStatus, origin: str, kept: float, days: float, pinned: bool
) -> None:
    profile = replace(USED, status=status, origin=origin, retention=kept, pinned=pinned)
    now = after(days)
    order = {"provisional": ("cold", 90, 0.3), "active": ("cold", 90, 0.3)}
    order |= {"cold": ("archived", 180, 0.2), "archived": ("deleted", 365, 0.1)}
    to, limit, low = order.get(status, (status, 1e9, 0.0))
    steps = idle_days(profile, now) > limit and retention(profile, now) < low
    wanted = to if steps and origin != "manual" and not pinned else status
    assert next_status(profile, now) == wanted
    assert [step.to for step in due_steps([profile], now)] == ([] if wanted == status else [wanted])
