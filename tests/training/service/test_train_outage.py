"""When the world is down a training stops and says so, and what failed meanwhile is tried again when it goes on."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from train_world import Agent, Optimiser, cases, order, place, solve, trained

from metier.models.failures import Malformed, RateLimited, Refused
from metier.models.scripted import Scripted, fails, on
from metier.training.service.budget import StopSignal
from metier.training.service.outage import HoldUnscored
from metier.training.spec import Spec
from metier.training.targets.target import Broken
from metier.types.trials import Rollout, Scored, Unscored

if TYPE_CHECKING:
    from metier.models.failures import Failure
    from metier.models.model import Reply, Request
    from metier.training.rollouts.rollout import BudgetSpent
    from metier.types.trials import Case
    from metier.workspace import Workspace

SMALL = Spec.of(epochs=1, batch=12, slow_cases=4)


@pytest.fixture
def shop(ws: Workspace) -> Workspace:
    """A workspace with the skill in it."""
    place(ws.root)
    return ws


def broken(case: Case, skill: str) -> Broken:
    return Broken(reason="the agent's service is down", again=False)


def test_a_target_that_is_down_from_the_start_ends_the_training_at_once_and_costs_no_score(shop: Workspace) -> None:
    began = time.monotonic()
    done = trained(shop, order(target=broken, workers=1))
    assert time.monotonic() - began < 5
    assert done.training.reason == "the first 3 attempts could not be scored (the agent's service is down)"
    assert (done.training.status, done.report["rollouts"]) == ("stopped", 3)
    assert done.report["scores"] == {"initial": None, "best": None, "confirm": None, "test": None}


def test_a_target_that_dies_in_the_middle_is_waited_for_and_nothing_it_missed_is_held_against_the_skill(
    shop: Workspace,
) -> None:
    agent = Agent()

    def dying(case: Case, skill: str) -> str | Broken:
        return agent(case, skill) if down[0] is None or agent.asked.total() < down[0] else broken(case, skill)

    down: list[int | None] = [30]
    asked = order(cases=cases(60), spec=SMALL, target=dying)
    stopped = trained(shop, asked)
    assert stopped.training.status == "stopped"
    assert stopped.training.reason.endswith("attempts in a row could not be scored (the agent's service is down)")
    down[0] = None
    done = trained(shop, asked)
    assert done.training.status == "finished"
    assert sum(step.unscored for step in done.trained.steps) == 0
    assert done.trained.best.hash() == trained(shop, order(cases=cases(60), spec=SMALL)).trained.best.hash()


class Flaky(Optimiser):
    """An optimiser that fails from one question on."""

    identity = "flaky"

    def __init__(self, after: int, failure: Failure) -> None:
        super().__init__()
        self.after: int | None = after
        self.failure = failure

    def complete(self, request: Request) -> Reply | Failure:
        """A reply while it works."""
        if self.after is not None and len(self.requests) >= self.after:
            return self.failure
        return super().complete(request)


@pytest.mark.parametrize(
    "failure",
    [
        Refused(reason="the key was not accepted", status=401),
        RateLimited(reason="too many calls", after=10_000),
        Malformed(reason="not of the protocol's form"),
    ],
)
def test_an_optimiser_that_never_answers_ends_the_training_instead_of_going_on_without(
    shop: Workspace, failure: Failure
) -> None:
    done = trained(shop, order(cases=cases(60), spec=SMALL.replace(minibatch=2), optimiser=Flaky(0, failure)))
    assert done.training.status == "stopped"
    assert done.training.reason == f"flaky does not answer ({failure.reason})"
    assert done.trained.steps == ()


def test_an_optimiser_that_dies_in_the_middle_is_asked_again_later(shop: Workspace) -> None:
    model = Flaky(2, Refused(reason="no credit is left", status=402))
    asked = order(spec=SMALL, optimiser=model)
    assert trained(shop, asked).training.status == "stopped"
    model.after = None
    done = trained(shop, asked)
    assert (done.training.status, done.report["scores"]["best"]) == ("finished", 1.0)  # type: ignore[index]


def test_a_model_that_answered_once_may_stammer_without_counting_as_down(shop: Workspace) -> None:
    model = Flaky(1, Malformed(reason="the answer holds no text"))
    done = trained(shop, order(cases=cases(60), spec=SMALL.replace(minibatch=2), optimiser=model, workers=1))
    assert done.training.status == "finished"


def test_a_question_that_is_refused_for_what_it_says_is_no_outage(shop: Workspace) -> None:
    model = Scripted(on(".", fails(Refused(reason="this cannot be answered", status=400))))
    done = trained(shop, order(cases=cases(40), spec=SMALL, optimiser=model, target=solve))
    assert done.training.status == "finished"
    assert {step.outcome.reason for step in done.trained.steps} == {"no analyst proposed anything"}  # type: ignore[union-attr]


class Shelf:
    """A keeper in memory."""

    def __init__(self) -> None:
        self.kept: dict[str, Rollout] = {}

    def get(self, key: str) -> Rollout | None:
        return self.kept.get(key)

    def begin(self) -> BudgetSpent | None:
        return None

    def put(self, key: str, rollout: Rollout) -> None:
        self.kept[key] = rollout


def rollout(number: int, skill: str, *, scored: bool) -> Rollout:
    score = Scored(hard=0.0, soft=0.0) if scored else Unscored(reason="down")
    return Rollout(case=str(number), skill_hash=skill, target="t", score=score)


def test_what_could_not_be_scored_is_kept_as_soon_as_something_could_be_again() -> None:
    shelf, closing = Shelf(), StopSignal(clock=time.monotonic)
    doubting = HoldUnscored(shelf, closing)
    doubting.put("a", rollout(1, "s", scored=False))
    doubting.put("b", rollout(2, "s", scored=False))
    assert (shelf.kept, doubting.get("a")) == ({}, rollout(1, "s", scored=False))
    doubting.begin()
    doubting.put("c", rollout(3, "s", scored=True))
    assert (sorted(shelf.kept), closing.why()) == (["a", "b", "c"], "")
    doubting.put("d", rollout(4, "s", scored=False))
    doubting.settle()
    assert "d" in shelf.kept


def test_a_success_that_was_begun_before_a_failure_says_nothing_about_the_world_since() -> None:
    shelf, closing = Shelf(), StopSignal(clock=time.monotonic)
    doubting = HoldUnscored(shelf, closing)
    doubting.begin()
    doubting.put("a", rollout(1, "s", scored=False))
    doubting.put("b", rollout(2, "s", scored=True))  # begun when a was
    assert sorted(shelf.kept) == ["b"]
    closing.stop("12 attempts in a row could not be scored")
    doubting.begin()
    doubting.put("c", rollout(3, "s", scored=True))
    doubting.settle()
    assert sorted(shelf.kept) == ["b", "c"]


def test_a_candidate_that_breaks_the_target_is_not_taken_for_an_outage() -> None:
    closing = StopSignal(clock=time.monotonic)
    doubting = HoldUnscored(Shelf(), closing)
    doubting.put("first", rollout(0, "start", scored=True))
    for number in range(40):
        doubting.put(f"x{number}", rollout(number, "candidate", scored=False))
    assert closing.why() == ""
    doubting.put("again", rollout(41, "start", scored=False))
    assert closing.why() == "41 attempts in a row could not be scored (down)"


def test_what_we_ended_ourselves_says_nothing_about_a_case() -> None:
    shelf, closing = Shelf(), StopSignal(clock=time.monotonic)
    doubting = HoldUnscored(shelf, closing)
    closing.stop("it was interrupted")
    doubting.put("a", rollout(1, "s", scored=False))
    doubting.settle()
    assert (shelf.kept, doubting.get("a"), closing.why()) == ({}, None, "it was interrupted")


@pytest.mark.slow
def test_a_server_that_cannot_be_reached_is_told_within_seconds(shop: Workspace) -> None:
    began = time.monotonic()
    done = trained(shop, order(target="chat=openai:m@http://127.0.0.1:9/v1", workers=3))
    assert time.monotonic() - began < 15
    assert "cannot connect" in done.training.reason
