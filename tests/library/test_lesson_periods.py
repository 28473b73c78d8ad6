"""When a lesson was in use: decisions write it down, so that only that time is counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from learn_world import Clock, opened

from metier.library.lessons import approve_lesson, forget_lesson, pause_lesson, reopen_lesson
from metier.store.tables.learning import lessons
from metier.types.lessons import Lesson

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from metier.workspace import Workspace


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def shop(tmp_path: Path, clock: Clock) -> Iterator[Workspace]:
    with opened(tmp_path / "shop", clock) as ws:
        with ws.context.store.write() as transaction:
            lessons.put(transaction, [Lesson(id="r", workspace=ws.name, kind="rule", text="Use uv.", subject="uv")])
        yield ws


def test_each_yes_opens_a_period_and_whatever_takes_it_out_of_use_closes_it(shop: Workspace, clock: Clock) -> None:
    moments: list[str] = []
    for decide in (approve_lesson, pause_lesson, approve_lesson, forget_lesson, approve_lesson):
        clock.later(days=1)
        moments.append(shop.context.now())
        found = decide(shop.context, "r")
    first, paused, again, gone, last = moments
    assert found.periods == ((first, paused), (again, gone), (last, ""))
    assert found.approved == first
    clock.later(days=1)
    assert approve_lesson(shop.context, "r").periods == found.periods
    assert reopen_lesson(shop.context, "r").periods == ()


def test_a_lesson_approved_before_periods_were_kept_counts_from_its_yes(shop: Workspace, clock: Clock) -> None:
    old = Lesson(
        id="o", workspace=shop.name, kind="rule", text="Use it.", subject="it", status="approved", approved="2026"
    )
    with shop.context.store.write() as transaction:
        lessons.put(transaction, [old])
    assert old.periods == (("2026", ""),)
    clock.later(days=1)
    assert forget_lesson(shop.context, "o").periods == (("2026", shop.context.now()),)
