"""The real loop in the simulated world: it learns there, and the same seed ends in the same bytes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from waiting import line_of, running

from metier.cli.demo.world.jobs import cases
from metier.cli.demo.world.target import SimulatedOptimiser, SimulatedTarget, skill_of
from metier.cli.demo.world.world import World, WorldSpec, line
from metier.models.failures import Refused
from metier.models.http.client import HttpModel
from metier.models.model import Message, Request, Texts
from metier.models.spec import ModelOptions, parse_spec
from metier.statistics.pairs import pairs_of
from metier.training.cases.splits import Splits
from metier.training.gates.confirm import confirm
from metier.training.loop import train
from metier.training.rollouts.pool import InOrder, Threads
from metier.training.rollouts.rollout import ScoringRoller
from metier.training.scoring.scorers import Scorers
from metier.training.spec import Spec
from metier.training.targets.chat import ChatTarget
from metier.training.targets.target import Attempt, Broken
from metier.types.trials import Rollout

if TYPE_CHECKING:
    from metier.models.model import Model
    from metier.skills.package import Package
    from metier.training.rollouts.pool import Pool
    from metier.training.targets.target import Target
    from metier.types.trials import Case

WORLD = World(spec=WorldSpec(seed=2, good=5, harmful=3, rho=0.8))
SPEC = Spec.of(epochs=2, batch=20, baselines=False)


def trained(pool: Pool, spec: Spec = SPEC) -> Package:
    """The best skill that a short run in process finds."""
    return finished(pool, spec, SimulatedTarget(world=WORLD), SimulatedOptimiser(world=WORLD, edits=2))


def finished(pool: Pool, spec: Spec, target: Target, optimiser: Model) -> Package:
    splits = Splits(train=cases(WORLD, "train", 80), val=cases(WORLD, "val", 60))
    steps = train(skill_of(), splits, ScoringRoller(target=target, scorers=Scorers()), optimiser, pool, spec)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value.best


def rollouts(skill: Package | None, fresh: tuple[Case, ...], broken: float = 0.0) -> list[Rollout]:
    roller = ScoringRoller(target=SimulatedTarget(world=WORLD, broken=broken), scorers=Scorers())
    return [made for case in fresh if isinstance(made := roller.roll(case, skill, 0), Rollout)]


def test_the_loop_learns_there_and_ends_in_the_same_bytes_whatever_the_threads_do() -> None:
    best = trained(InOrder())
    assert WORLD.gain(best.document.decode()) > 0.3
    with Threads(8) as pool:
        assert trained(pool).hash() == best.hash()


WAYS: list[dict[str, Any]] = [
    {"update": "rewrite"},
    {"update": "full_rewrite"},
    {"skill_aware": True},
    {"samples": 2},
    {"one_shot_first": True},
]


@pytest.mark.parametrize("settings", WAYS, ids=str)
def test_every_way_to_propose_gets_usable_answers(settings: dict[str, Any]) -> None:
    best = trained(InOrder(), SPEC.replace(epochs=1, **settings))
    assert WORLD.gain(best.document.decode()) > 0


def test_what_is_truly_better_is_confirmed_on_fresh_cases_and_a_neutral_line_is_not() -> None:
    fresh = cases(WORLD, "confirm", 80)
    nothing, neutral = skill_of(), skill_of([line("N", 1)])
    best = skill_of(line("G", rule) for rule in range(5))
    assert confirm(pairs_of(rollouts(nothing, fresh), rollouts(best, fresh))).decision.action == "accept"
    assert confirm(pairs_of(rollouts(nothing, fresh), rollouts(neutral, fresh))).decision.action != "accept"


def test_an_arm_that_the_world_fails_is_not_confirmed() -> None:
    fresh = cases(WORLD, "confirm", 80)
    best = skill_of(line("G", rule) for rule in range(5))
    found = confirm(pairs_of(rollouts(None, fresh), rollouts(best, fresh, broken=0.15)))
    assert found.decision.action == "uninformative"
    assert found.receipt.unscored_after > 0


def test_the_target_answers_with_and_without_a_skill_and_breaks_when_told() -> None:
    case = cases(WORLD, "train", 1)[0]
    target = SimulatedTarget(world=WORLD)
    attempt = target.run(case, None, 0)
    assert isinstance(attempt, Attempt)
    again = target.run(case, skill_of(), 0)
    assert isinstance(again, Attempt)
    assert again.output == attempt.output
    assert isinstance(SimulatedTarget(world=WORLD, broken=1.0).run(case, None, 0), Broken)
    assert SimulatedTarget(world=WORLD, broken=1.0).identity != target.identity


def test_the_optimiser_refuses_what_it_does_not_know() -> None:
    optimiser = SimulatedOptimiser(world=WORLD)
    assert isinstance(optimiser.complete(Request(messages=(Message(text="Hello"),))), Refused)
    assert isinstance(optimiser.embed(Texts(texts=("a",))), Refused)


def test_through_the_server_the_loop_ends_in_the_same_bytes_as_in_process() -> None:
    spec = SPEC.replace(epochs=1)
    options = ["--seed", "2", "--good", "5", "--harmful", "3", "--rho", "0.8", "--edits", "2"]
    command = [
        sys.executable,
        str(Path(__file__).parents[4] / "benchmarks" / "training" / "world" / "server.py"),
        *options,
    ]
    with running(command, stdout=subprocess.PIPE, text=True) as server:
        url = json.loads(line_of(server, server.stdout))["address"]
        with (
            HttpModel(parse_spec("openai:any", ModelOptions(url=url, key_variable="none")), {}) as model,
            Threads(8) as pool,
        ):
            best = finished(pool, spec, ChatTarget(model=model), model)
    assert best.hash() == trained(InOrder(), spec).hash()
