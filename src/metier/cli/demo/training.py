"""The scene of the demo about training: a skill that finds its rules behind the gate, in a simulated world."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from metier.cli.demo.parts import bars, curve, line, result_of, title

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rich.console import RenderableType

    from metier.training.train import Finished
    from metier.workspace import Workspace

SEED = 5
SIZES = (60, 40, 80)
"""Train, val and test cases; half of the last are set aside for the last gate."""
ARMS = {"no_skill": "no skill", "initial": "before", "one_shot": "one-shot", "best": "trained"}


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingStory:
    """A training to its end, and its page."""

    finished: Finished
    page: Path


def perform(ws: Workspace) -> TrainingStory:
    """Train an empty skill of the simulated world: an agent that passes more cases the more good rules it is given."""
    from metier.cli.demo.world.jobs import cases
    from metier.cli.demo.world.target import SimulatedOptimiser, SimulatedTarget, skill_of
    from metier.cli.demo.world.world import World, WorldSpec
    from metier.training.presets import spec_of
    from metier.training.service.order import Order
    from metier.training.train import train
    from metier.web.training_report import write_report

    world = World(spec=WorldSpec(seed=SEED, good=5, harmful=5, rho=0.8))
    given = zip(("train", "val", "test"), SIZES, strict=True)
    order = Order(
        skill=str(ws.root / "simulated"),
        start=skill_of(()),
        cases=tuple(case for part, count in given for case in cases(world, part, count)),
        target=SimulatedTarget(world=world),
        optimiser=SimulatedOptimiser(world=world, edits=3),
        spec=spec_of("default", epochs=4, batch=20),
        workers=2,
    )
    finished = result_of(train(ws.context, order))
    return TrainingStory(finished=finished, page=write_report(ws.context, finished.report))


def scenes(story: TrainingStory) -> Iterator[RenderableType]:
    """What the search did, and how the result does on cases it never saw."""
    report = story.finished.report
    steps = cast("list[dict[str, object]]", report["curve"])[1:]
    accepted = sum(str(one["action"]).startswith("accept") for one in steps)
    rejected = sum(one["action"] == "reject" for one in steps)
    waiting = len(steps) - accepted - rejected
    more = f", {waiting} waited to be screened with others" if waiting else ""
    yield from title("metier train SKILL --cases FILE")
    yield line(
        f"A simulated agent, {sum(SIZES)} cases, a skill that starts empty. Edits were proposed {len(steps)} times; "
        f"the val cases accepted {accepted} and rejected {rejected}{more}:"
    )
    scores = [cast("float", one["best"]) for one in cast("list[dict[str, object]]", report["curve"])]
    yield line(f"  val score      {curve(scores)}  from {scores[0]:.2f} to {scores[-1]:.2f}")
    yield line("Score on test cases that the search never saw:")
    rows = cast("list[dict[str, object]]", report["baselines"])
    shown = [one for one in rows if one["split"] == "test" and one.get("score") is not None]
    yield from bars(
        (ARMS[str(one["arm"])], cast("float", one["score"]), f"{cast('float', one['score']):.2f}") for one in shown
    )
    decision = cast("dict[str, object]", report["decision"])
    yield line(f"Last gate, on fresh cases: {decision['action']}. {decision['reason']}")
    yield line(f"Full report: {story.page}")


def document(story: TrainingStory) -> dict[str, object]:
    """The scene as JSON."""
    report = story.finished.report
    return {
        "scores": report["scores"],
        "decision": report["decision"],
        "curve": report["curve"],
        "page": str(story.page),
    }
