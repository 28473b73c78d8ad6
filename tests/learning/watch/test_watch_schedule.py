"""When a pass is due: values in, a decision out; no clock, no thread, no file."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metier.config import Config
from metier.learning.watch.schedule import (
    Backoff,
    Due,
    Later,
    Moment,
    Never,
    Pace,
    Passed,
    State,
    due,
    state_after_look,
)
from metier.store.tables.runs.arrivals import MANY
from metier.types.runs import Arrivals

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
AFTER_RUN = Config(mode="draft")
BERLIN = ZoneInfo("Europe/Berlin")
PACE = Pace()


def at(ticks: float, wall: datetime = NOON) -> Moment:
    return Moment(wall=wall, ticks=ticks)


def daily(*times: str) -> Config:
    return Config.of({"mode": "draft", "trigger": "scheduled", "times": times})


def berlin(text: str, fold: int = 0) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=BERLIN, fold=fold).astimezone(UTC)


def arriving(*moments: float) -> State:
    """The state after a run arrived at each of these moments."""
    state = State()
    for number, moment in enumerate(moments, start=1):
        state = state_after_look(state, at(moment), Arrivals(newest=number, revisions=number), None, number)
    return state


# ---- after runs ---------------------------------------------------------------------------------------------------


def test_nothing_is_due_before_a_run_has_arrived() -> None:
    assert due(State(), at(0), AFTER_RUN) == Later(why="waits for the next run")


def test_a_run_is_learned_from_once_it_has_been_quiet_for_a_moment() -> None:
    state = arriving(100.0)
    assert due(state, at(101.5), AFTER_RUN) == Later(why="1 new run", seconds=0.5)
    assert due(state, at(102.0), AFTER_RUN) == Due(why="1 new run")


def test_a_burst_is_one_pass() -> None:
    moments = [100.0 + step for step in range(10)]
    for count in range(1, 11):
        assert isinstance(due(arriving(*moments[:count]), at(moments[count - 1] + 0.9), AFTER_RUN), Later)
    assert due(arriving(*moments), at(111.0), AFTER_RUN) == Due(why="10 new runs")


def test_a_burst_without_end_is_learned_from_after_half_a_minute() -> None:
    moments = [100.0 + step for step in range(31)]
    assert isinstance(due(arriving(*moments[:30]), at(129.9), AFTER_RUN), Later)
    assert isinstance(due(arriving(*moments), at(130.0), AFTER_RUN), Due)


def test_what_arrives_during_a_pass_is_one_more_pass() -> None:
    state = arriving(100.0)
    passed = Passed(at=NOON, seen=state.arrived)
    for number, moment in ((2, 105.0), (3, 106.0)):  # looked at after the pass
        state = state_after_look(state, at(moment), Arrivals(newest=number, revisions=number), passed, number - 1)
    assert due(state, at(108.0), AFTER_RUN) == Due(why="2 new runs")
    state = state_after_look(state, at(109.0), state.arrived, Passed(at=NOON, seen=state.arrived), 0)
    assert due(state, at(1000.0), AFTER_RUN) == Later(why="waits for the next run")


def test_a_run_that_arrives_again_with_other_content_is_news() -> None:
    passed = Passed(at=NOON, seen=Arrivals(newest=7, revisions=9))
    state = state_after_look(State(), at(0), Arrivals(newest=7, revisions=10), passed, 0)
    assert due(state, at(2), AFTER_RUN) == Due(why="changed runs")


def test_a_removed_run_is_no_news() -> None:
    passed = Passed(at=NOON, seen=Arrivals(newest=7, revisions=9))
    state = state_after_look(State(), at(0), Arrivals(newest=6, revisions=30), passed, 0)
    assert due(state, at(99), AFTER_RUN) == Later(why="waits for the next run")


def test_a_great_many_runs_are_not_counted_to_the_end() -> None:
    state = state_after_look(State(), at(0), Arrivals(newest=10**6, revisions=1), None, MANY)
    assert due(state, at(2), AFTER_RUN) == Due(why="10,000 or more new runs")


@given(st.lists(st.floats(min_value=0.01, max_value=20), min_size=1, max_size=40))
def test_however_runs_arrive_a_pass_begins_within_half_a_minute_of_the_first(gaps: list[float]) -> None:
    state, now, first = State(), 0.0, 0.0
    for number, gap in enumerate(gaps, start=1):
        now += gap
        first = first or now
        state = state_after_look(state, at(now), Arrivals(newest=number, revisions=number), None, number)
        found = due(state, at(now), AFTER_RUN)
        assert isinstance(found, Due) == (now - first >= PACE.longest) or abs(now - first - PACE.longest) < 1e-6
        assert not isinstance(found, Later) or (found.seconds or 0) <= PACE.quiet + 1e-6


# ---- at times -----------------------------------------------------------------------------------------------------


def test_a_pass_begins_at_its_time_and_only_once() -> None:
    night = berlin("2026-03-02T03:05")
    before = State(passed=Passed(at=night - timedelta(hours=9)))
    config = daily("03:05")
    assert due(before, at(0, night - timedelta(seconds=90)), config, zone=BERLIN) == Later(why="03:05", seconds=90)
    assert due(before, at(0, night), config, zone=BERLIN) == Due(why="03:05")
    after = State(passed=Passed(at=night + timedelta(seconds=1)))
    found = due(after, at(0, night + timedelta(seconds=5)), config, zone=BERLIN)
    assert found == Later(why="03:05", seconds=86_400 - 5)


def test_missed_times_are_made_up_for_once() -> None:
    config = daily("03:05", "12:00", "18:30")
    away = State(passed=Passed(at=berlin("2026-02-20T12:00")))
    back = berlin("2026-03-02T14:00")
    assert due(away, at(0, back), config, zone=BERLIN) == Due(why="12:00 was missed")
    done = State(passed=Passed(at=back))
    assert due(done, at(0, back + timedelta(minutes=1)), config, zone=BERLIN) == Later(why="18:30", seconds=16_140)


def test_a_time_that_the_clocks_skip_comes_once() -> None:
    passes = _passes_of(daily("02:30"), "2026-03-28T12:00", "2026-03-30T12:00")
    assert passes == [berlin("2026-03-29T03:30"), berlin("2026-03-30T02:30")]


def test_a_time_that_the_clocks_repeat_comes_once() -> None:
    passes = _passes_of(daily("02:30"), "2026-10-24T12:00", "2026-10-26T12:00")
    assert passes == [berlin("2026-10-25T02:30", fold=0), berlin("2026-10-26T02:30")]


def test_two_times_that_become_one_are_one_pass() -> None:
    passes = _passes_of(daily("02:30", "03:30"), "2026-03-28T12:00", "2026-03-29T12:00")
    assert passes == [berlin("2026-03-29T03:30")]


def test_a_clock_set_back_a_little_does_not_repeat_a_pass() -> None:
    night = berlin("2026-03-02T03:05")
    state = State(passed=Passed(at=night + timedelta(seconds=1)))
    for wall in (night - timedelta(seconds=30), night - timedelta(hours=2), night, night + timedelta(seconds=1)):
        assert isinstance(due(state, at(0, wall), daily("03:05"), zone=BERLIN), Later)


def test_a_clock_that_was_years_ahead_does_not_stop_learning() -> None:
    state = State(passed=Passed(at=datetime(2099, 1, 1, tzinfo=UTC)))
    assert due(state, at(0), daily("03:05"), zone=BERLIN) == Due(why="03:05 was missed")


def test_before_the_first_pass_no_time_was_missed() -> None:
    assert isinstance(due(State(), at(0), daily("03:05"), zone=BERLIN), Later)


def test_without_a_zone_times_are_those_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
        time.tzset()
        passes = _passes_of(daily("02:30"), "2026-03-28T12:00", "2026-03-30T12:00", zone=None)
    time.tzset()
    assert passes == [berlin("2026-03-29T03:30"), berlin("2026-03-30T02:30")]


@given(
    st.datetimes(datetime(2020, 1, 1), datetime(2035, 1, 1)),  # noqa: DTZ001 - made aware below
    st.lists(st.times(), min_size=1, max_size=4),
    st.sampled_from(["Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "Pacific/Apia"]),
)
def test_after_a_pass_the_next_one_is_at_most_two_days_away(moment: datetime, times: list[object], name: str) -> None:
    wall = moment.replace(tzinfo=UTC)
    config = daily(*(str(one)[:5] for one in times))
    found = due(State(passed=Passed(at=wall)), at(0, wall), config, zone=ZoneInfo(name))
    assert isinstance(found, Later)
    assert found.seconds is not None
    assert 0 < found.seconds <= 2 * 86_400


def _passes_of(config: Config, start: str, end: str, zone: tzinfo | None = BERLIN) -> list[datetime]:
    """When passes begin between two moments, by a watch that looks every ten minutes."""
    wall, passes = berlin(start), [berlin(start)]
    while wall < berlin(end):
        state = State(passed=Passed(at=passes[-1]))
        if isinstance(due(state, at(0, wall), config, zone=zone), Due):
            passes.append(wall)
        wall += timedelta(minutes=10)
    return passes[1:]


# ---- never, and not yet -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("config", "word"),
    [
        (Config(enabled=False, mode="apply"), "enabled is false"),
        (Config(mode="observe"), "mode is observe"),
        (Config.of({"mode": "draft", "trigger": "manual"}), "trigger is manual"),
        (Config.of({"mode": "draft", "trigger": "scheduled"}), "times is empty"),
    ],
)
def test_what_keeps_from_learning_is_said_with_what_to_do(config: Config, word: str) -> None:
    found = due(arriving(0.0), at(100), config)
    assert isinstance(found, Never)
    assert word in found.why
    assert found.hint


def test_after_failures_the_waits_double_up_to_a_quarter_of_an_hour() -> None:
    backoff = Backoff()
    waits: list[float] = []
    for _ in range(10):
        backoff = backoff.failed(0.0, PACE)
        waits.append(backoff.until)
    assert waits == [5, 10, 20, 40, 80, 160, 320, 640, 900, 900]


@pytest.mark.parametrize("config", [AFTER_RUN, daily("03:05")], ids=["after_run", "scheduled"])
def test_a_pass_that_failed_is_not_due_again_at_once_and_is_not_forgotten(config: Config) -> None:
    state = replace(arriving(0.0), passed=Passed(at=NOON - timedelta(days=3)), backoff=Backoff().failed(10.0, PACE))
    found = due(state, at(11.0), config, zone=BERLIN)
    assert isinstance(found, Later)
    assert found.seconds == 4.0
    assert found.why.endswith("the last try failed")
    assert isinstance(due(state, at(15.0), config, zone=BERLIN), Due)


def test_when_somebody_else_learns_nothing_has_failed() -> None:
    backoff = Backoff().postponed(10.0, PACE)
    assert backoff == Backoff(failures=0, until=15.0)
    found = due(replace(arriving(0.0), backoff=backoff), at(11.0), AFTER_RUN)
    assert isinstance(found, Later)
    assert found.why.endswith("somebody else is at it")
