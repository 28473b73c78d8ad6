"""Rollouts of a run: begun once, hurried when needed, dropped when not, billed to who reads them first."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest
from training_toys import Rules, case, package
from waiting import PATIENCE, until

from metier.training.rollouts.pool import InOrder, PoolUsage, Threads
from metier.training.rollouts.rollout import Halt
from metier.training.rollouts.scheduler import AHEAD, FILLER, LITTLE, NEEDED, RolloutScheduler
from metier.training.rollouts.usage import Bill
from metier.types.trials import Rollout

CASES = tuple(case(number, "rule-0") for number in range(6))


class Held:
    """A pool that does nothing before it is told to, the most urgent first."""

    def __init__(self) -> None:
        self.tasks: list[tuple[int, int, object]] = []

    def submit(self, work, *, urgency=0):
        self.tasks.append((urgency, len(self.tasks), work))
        return self

    def result(self) -> None:
        for _, _, work in sorted(self.tasks, key=lambda task: task[:2]):
            work()
        self.tasks.clear()


def attempts(world: Rules, pool: object, bill: Bill | None = None) -> RolloutScheduler:
    return RolloutScheduler(world, PoolUsage(pool), bill or Bill())  # type: ignore[arg-type]


def test_the_same_rollout_is_made_once_and_on_the_bill_of_who_reads_it_first() -> None:
    world, bill = Rules(), Bill()
    made = attempts(world, InOrder(), bill)
    made.begin(CASES, None, urgency=AHEAD)
    assert made.read(CASES[0], None, "rollout") == made.read(CASES[0], None, "gate")
    assert made.read(CASES[0], None, "rollout", sample=1).sample == 1
    assert world.made.total() == 7
    assert [(stage, usage.calls, usage.tokens.input) for stage, usage in bill.stages()] == [("rollout", 2, 14)]
    assert made.unused_usage().calls == 5


def test_what_was_begun_early_is_hurried_and_still_made_once() -> None:
    world, pool = Rules(), Held()
    made = attempts(world, pool)
    made.begin(CASES[:1], None, urgency=AHEAD)
    made.begin(CASES[:1], None, urgency=FILLER)
    made.begin(CASES[:1], None, urgency=NEEDED)
    assert [urgency for urgency, _, _ in pool.tasks] == [AHEAD, NEEDED]
    made.read(CASES[0], None, "gate")
    assert world.made.total() == 1


def test_what_nobody_wants_any_more_is_not_made_unless_it_is_wanted_again() -> None:
    world, pool = Rules(), Held()
    made = attempts(world, pool)
    made.begin(CASES[:2], None, urgency=AHEAD)
    made.drop(CASES[:2], None, (0,))
    pool.result()
    assert world.made.total() == 0
    assert isinstance(made.read(CASES[0], None, "rollout"), Rollout)
    assert world.made.total() == 1


def test_what_was_put_aside_fills_idle_workers_and_no_more_is_begun() -> None:
    world, started, go = Rules(), threading.Barrier(5), threading.Event()

    class Waiting:
        def roll(self, case, skill, sample):
            if case.id == "c0":
                started.wait(PATIENCE)
                go.wait(PATIENCE)
            return world.roll(case, skill, sample)

    with Threads(4) as pool:
        crew = PoolUsage(pool)
        made = RolloutScheduler(Waiting(), crew, Bill())
        assert crew.free() == 0  # nobody knows yet how many workers there are
        made.begin(CASES[:1], None, samples=(0, 1, 2, 3), urgency=NEEDED)
        started.wait(PATIENCE)
        assert crew.free() == 0
        go.set()
        for sample in range(4):
            made.read(CASES[0], None, "gate", sample=sample)
        until(lambda: crew.free() == 4, "four free workers")
        made.put_aside(CASES[1:], package())
        made.fill_idle_workers()
        until(lambda: world.made.total() >= 4 + 4, "four rollouts more")
    assert world.made.total() == 4 + 4


def test_a_used_up_budget_ends_the_run_and_an_exception_comes_through() -> None:
    with pytest.raises(Halt, match="no more"):
        attempts(Rules(limit=0), InOrder()).read(CASES[0], None, "gate")

    class Faulty:
        def roll(self, case, skill, sample):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        RolloutScheduler(Faulty(), PoolUsage(InOrder()), Bill()).read(CASES[0], None, "gate")


def test_of_what_was_read_nothing_long_but_scores_is_kept_when_told_to_forget() -> None:
    cases = (replace(CASES[0], input="long " * LITTLE), *CASES[1:])
    made = attempts(Rules(), InOrder())
    made.begin(cases, None, urgency=AHEAD)
    before = made.read(cases[0], None, "gate")
    made.read(cases[2], None, "gate")
    made.forget()
    after = made.read(cases[0], None, "gate")
    assert before.output
    assert (after.output, after.trace, after.score) == ("", "", before.score)
    assert made.read(cases[1], None, "gate").output
    assert made.read(cases[2], None, "gate").output  # what is short may stay
    assert made.unused_usage().calls == 3


def test_what_is_needed_afterwards_is_made_when_workers_are_free_and_is_on_no_bill() -> None:
    world, bill = Rules(), Bill()
    made = attempts(world, InOrder(), bill)
    made.begin(CASES[:2], None, urgency=NEEDED)
    made.wait(CASES[:2], None)
    made.put_aside_for_confirm(CASES[2:4], None)
    made.fill_idle_workers()
    assert world.made.total() == 3  # one worker, one rollout
    made.fill_idle_workers()
    made.fill_idle_workers()
    assert world.made.total() == 4
    assert bill.stages() == ()
    assert made.unused_usage().calls == 4  # what was never read
    made.put_aside_for_confirm(CASES[2:4], package("rule-0"))
    made.fill_idle_workers()
    assert made.unused_usage(package("rule-0")).calls == 4  # the one that was made for this skill will be
