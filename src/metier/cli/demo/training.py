"""The last scene: a skill finds its rules behind the gate, in a simulated world."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from metier.cli.demo.parts import GOOD, Scene, bar, curve, line, result_of
from metier.cli.demo.world.jobs import cases
from metier.cli.demo.world.target import SimulatedOptimiser, SimulatedTarget, skill_of
from metier.cli.demo.world.world import World, WorldSpec
from metier.training.presets import spec_of
from metier.training.service.order import Order
from metier.training.train import train
from metier.web.training_report import write_report

if TYPE_CHECKING:
    from rich.text import Text

    from metier.cli.demo.parts import Stage

SEED = 5
SIZES = (60, 40, 80)
"""Train, val and test cases; half of the last are set aside for the last gate."""
ARMS = {"no_skill": "without the skill", "one_shot": "rewritten once", "best": "trained"}

Rows = list[dict[str, object]]


def train_scene(stage: Stage) -> Scene:
    """Train an empty skill of the simulated world: its agent passes more cases the more good rules it is given."""
    ws = stage.ws
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
    report = result_of(train(ws.context, order)).report
    write_report(ws.context, report)
    steps = cast("Rows", report["curve"])
    accepted = sum(str(one["action"]).startswith("accept") for one in steps[1:])
    scores = [cast("float", one["best"]) for one in steps]
    arms = [one for one in cast("Rows", report["baselines"]) if one["split"] == "test" and one["arm"] in ARMS]
    decision = cast("dict[str, object]", report["decision"])
    return Scene(
        title="A skill is trained",
        lines=(
            line(
                f"A simulated agent, {sum(SIZES)} cases; {len(steps) - 1} changes proposed, "
                f"{accepted} accepted on held-out cases:"
            ),
            line(f"{'held-out score':<20}", (curve(scores), GOOD), f"  {scores[0]:.2f} to {scores[-1]:.2f}"),
            *(_arm_line(one) for one in arms if one.get("score") is not None),
            line((f"{decision['action']}: ", GOOD), str(decision["reason"])),
        ),
        facts={"proposed": len(steps) - 1, "accepted": accepted, "scores": report["scores"], "decision": decision},
    )


def _arm_line(arm: dict[str, object]) -> Text:
    score = cast("float", arm["score"])
    return line(f"{ARMS[str(arm['arm'])]:<20}", bar(score, good=arm["arm"] == "best"), f"  {score:.2f} on unseen cases")
