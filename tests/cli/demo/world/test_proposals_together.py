"""All ways to propose at once: they do not get in each other's way, and the same seed ends the same."""

from __future__ import annotations

import pytest
from training_toys import Rules, Teacher, run, splits

from metier.cli.demo.world.jobs import cases
from metier.cli.demo.world.target import SimulatedOptimiser, SimulatedTarget, skill_of
from metier.cli.demo.world.world import World, WorldSpec
from metier.training.cases.splits import Splits
from metier.training.estimate import estimate
from metier.training.rollouts.pool import Threads
from metier.training.rollouts.rollout import ScoringRoller
from metier.training.scoring.scorers import Scorers
from metier.training.spec import Spec

ALL = Spec.of(
    epochs=2,
    batch=12,
    minibatch=3,
    samples=2,
    one_shot_first=True,
    merge_group=2,
    split_rewrites=True,
    screen_edits=5,
    screen_passes=1,
    block=6,
    slow_cases=6,
)


@pytest.mark.parametrize("gate", ["strict", "staged", "adaptive"])
def test_the_same_seed_ends_the_same_whatever_the_threads_do(gate: str) -> None:
    world = World(spec=WorldSpec(seed=5))
    place = Splits(train=cases(world, "train", 24), val=cases(world, "val", 24))
    roller = ScoringRoller(target=SimulatedTarget(world=world), scorers=Scorers())
    spec, model = ALL.replace(gate=gate), SimulatedOptimiser(world=world, edits=2, whole=4)
    first = run(spec, world=roller, model=model, cases=place, start=skill_of())
    with Threads(7) as pool:
        again = run(spec, world=roller, model=model, cases=place, start=skill_of(), pool=pool)
    assert (again.trained, again.events) == (first.trained, first.events)
    assert first.trained.steps[0].step == 0
    assert world.gain(first.text) > 0


def test_no_more_is_taken_than_was_estimated_and_nothing_twice() -> None:
    world, model = Rules(), Teacher()
    spec = ALL.replace(gate="adaptive")
    run(spec, world=world, model=model)
    found = estimate(splits(), spec, "a skill")
    assert world.made.total() <= found.rollouts + found.ahead
    assert max(world.made.values()) == 1
    assert len(model.asked) <= found.calls
    assert sum(request.stage == "one_shot" for request in model.asked) == 1
