from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from metier.training.rollouts.cached import CachedRoller, MemoryKeeper
from metier.training.rollouts.rollout import BudgetSpent
from metier.types.trials import Case, Rollout, Scored

if TYPE_CHECKING:
    from metier.skills.package import Package


class Counting:
    """A roller that counts, and takes a moment."""

    def __init__(self) -> None:
        self.made: list[str] = []

    def key(self, case: Case, skill: Package | None, sample: int) -> str:
        return f"{case.id}:{'' if skill is None else skill.hash()}:{sample}"

    def roll(self, case: Case, skill: Package | None, sample: int) -> Rollout | BudgetSpent:
        self.made.append(self.key(case, skill, sample))
        time.sleep(0.01)
        return Rollout(case=case.id, skill_hash="", target="t", score=Scored(hard=1, soft=1), sample=sample)


def case(name: str) -> Case:
    return Case(id=name, input=name)


def test_a_rollout_is_made_once_however_many_ask_at_the_same_time() -> None:
    roller = Counting()
    remembered = CachedRoller(roller, MemoryKeeper())
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda at: remembered.roll(case(f"c{at % 3}"), None, 0), range(24)))
    assert sorted(roller.made) == ["c0::0", "c1::0", "c2::0"]
    assert [one.case for one in found if isinstance(one, Rollout)] == [f"c{at % 3}" for at in range(24)]


def test_another_sample_is_another_rollout() -> None:
    roller = Counting()
    remembered = CachedRoller(roller, MemoryKeeper())
    for sample in (0, 1, 0):
        remembered.roll(case("c"), None, sample)
    assert roller.made == ["c::0", "c::1"]


def test_no_more_rollouts_are_made_than_the_budget_allows() -> None:
    for limit in (1, 7, 20):
        roller = Counting()
        remembered = CachedRoller(roller, MemoryKeeper(limit=limit))
        with ThreadPoolExecutor(12) as pool:
            found = list(pool.map(lambda at: remembered.roll(case(f"c{at}"), None, 0), range(30)))  # noqa: B023
        assert len(roller.made) == limit
        assert sum(isinstance(one, BudgetSpent) for one in found) == 30 - limit


def test_who_waits_for_a_rollout_that_is_never_made_is_told() -> None:
    begun, go = threading.Event(), threading.Event()

    class Broke(Counting):
        def roll(self, case: Case, skill: Package | None, sample: int) -> Rollout | BudgetSpent:
            begun.set()
            go.wait(60)
            return BudgetSpent(reason="no money")

    remembered = CachedRoller(Broke(), MemoryKeeper())
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(remembered.roll, case("c"), None, 0)
        begun.wait(60)
        second = pool.submit(remembered.roll, case("c"), None, 0)
        time.sleep(0.01)
        go.set()
        assert isinstance(first.result(), BudgetSpent)
        assert isinstance(second.result(), BudgetSpent)


class Refused(Counting):
    """A roller whose budget is used up, before the attempt or only before its score."""

    def __init__(self, *, made: bool) -> None:
        super().__init__()
        self.attempted = made

    def roll(self, case: Case, skill: Package | None, sample: int) -> Rollout | BudgetSpent:
        return BudgetSpent(reason="no more", made=self.attempted)


def test_what_nothing_was_spent_on_is_not_counted() -> None:
    for made in (False, True):
        keeper = MemoryKeeper()
        assert isinstance(CachedRoller(Refused(made=made), keeper).roll(case("c"), None, 0), BudgetSpent)
        assert keeper.made == made
