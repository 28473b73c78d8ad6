"""A clock that stands still, runs backwards or jumps: order is by sequence, and nothing is lost."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import cycle
from typing import TYPE_CHECKING

import pytest
from sweep import environ_of, state_of

from metier import Run, Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def _frozen() -> Iterator[datetime]:
    return cycle([NOON])


def _backwards() -> Iterator[datetime]:
    return (NOON - timedelta(days=day) for day in range(1000))


def _jumping() -> Iterator[datetime]:
    years = cycle([0, 60, -50, 3, -1])
    return (NOON + timedelta(days=365 * next(years)) for _ in range(100_000))


CLOCKS = {"frozen": _frozen, "backwards": _backwards, "jumping": _jumping}


@pytest.fixture(params=CLOCKS.values(), ids=CLOCKS.keys())
def odd(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Workspace]:
    """A workspace with a clock that cannot be trusted."""
    ticks = request.param()
    flags = {"retention_days": "0"}
    with Workspace.open(tmp_path, environ=environ_of(tmp_path), flags=flags, clock=lambda: next(ticks)) as ws:
        yield ws


def test_runs_stay_in_the_order_they_were_recorded_in(odd: Workspace) -> None:
    kept = [odd.finish(Run(message=f"run {index}", external_id=str(index))) for index in range(50)]
    assert all(one.how == "new" for one in kept)
    records = odd.runs()
    assert [record.id for record in records] == [one.id for one in reversed(kept)]
    sequences = [record.sequence for record in records]
    assert sequences == sorted(sequences, reverse=True)
    assert [record.id for record in odd.search("run")] == [record.id for record in records]


def test_blocks_in_one_instant_are_runs_of_their_own(odd: Workspace) -> None:
    for _ in range(10):
        with odd.record("the same request") as run:
            run.answer("done")
    assert [record.run.status for record in odd.runs()] == ["completed"] * 10


def test_keeping_house_by_an_odd_clock_removes_nothing_without_a_limit(odd: Workspace) -> None:
    odd.finish(Run(message="stays"))
    for _ in range(5):
        list(odd.tidy())
    assert len(odd.runs()) == 1


def _steps(*moments: datetime) -> Callable[[], datetime]:
    ticks = iter(moments)
    last = moments[-1]
    return lambda: next(ticks, last)


def test_limits_are_enforced_again_after_the_clock_was_ahead_for_a_while(tmp_path: Path) -> None:
    environ = environ_of(tmp_path)
    with Workspace.open(tmp_path, environ=environ, clock=_steps(NOON + timedelta(days=3650))) as ws:
        list(ws.tidy())
    with Workspace.open(tmp_path, environ=environ, clock=_steps(NOON - timedelta(days=90))) as ws:
        ws.finish(Run(message="old"))
    with Workspace.open(tmp_path, environ=environ, flags={"retention_days": "30"}, clock=_steps(NOON)) as ws:
        list(ws.tidy())
        assert ws.runs() == []


def test_a_hooks_file_from_a_clock_ahead_is_taken_in_once(tmp_path: Path) -> None:
    environ = environ_of(tmp_path)
    with Workspace.open(tmp_path, environ=environ, clock=_steps(NOON)) as ws:
        pass
    for name in ("99999999999999999999-1-aa", "00000000000000000000-1-bb"):
        text = f'{{"kind": "run", "run": {{"message": "{name}"}}, "v": 1}}'
        (state_of(tmp_path) / "spool" / f"{name}.json").write_text(text)
    for _ in range(3):
        with Workspace.open(tmp_path, environ=environ, clock=_steps(NOON)) as ws:
            assert len(ws.runs()) == 2
