"""The last scene: a skill finds its rules behind the gate, in a simulated world."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from metier.cli.demo.parts import GOOD, Scene, curve, line, result_of
from metier.cli.demo.world.jobs import cases
from metier.cli.demo.world.target import SimulatedOptimiser, SimulatedTarget, skill_of
from metier.cli.demo.world.world import World, WorldSpec
from metier.training.presets import spec_of
from metier.training.report.summary import search_of
from metier.training.service.order import Order
from metier.training.train import train
from metier.web.training_report import write_report

if TYPE_CHECKING:
    from rich.text import Text

    from metier.cli.demo.parts import Stage

SEED = 5
SIZES = (60, 40, 80)
"""Train, val and test cases; half of the last are set aside as fresh cases for the last gate."""
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
    scores = [cast("float", one["best"]) for one in steps]
    decision, found = cast("dict[str, object]", report["decision"]), search_of(report)
    assert found is not None  # noqa: S101 - the training is finished
    return Scene(
        title="A skill is trained",
        lines=(
            line(f"A simulated agent, {sum(SIZES)} cases: {found.steps_text}"),
            _verdict_line(decision),
            line(
                f"{'while it searched':<20}",
                (curve(scores), GOOD),
                f"  on the {SIZES[1]} cases by which it chose: such a curve flatters",
            ),
            line(f"{'':<20}{found.scores_text}"),
        ),
        facts={
            "steps": found.steps,
            "accepted": found.accepted,
            "lines": found.lines,
            "scores": report["scores"],
            "decision": decision,
        },
    )


def _verdict_line(decision: dict[str, object]) -> Text:
    """The last gate in plain words: what it compared, on what, and how often luck would do the same."""
    receipt = cast("dict[str, float]", decision["receipt"])
    what = "proven" if str(decision["action"]).startswith("accept") else "not proven"
    return line(
        (f"{what}: {100 * receipt['gain']:+.1f} points", GOOD),
        f" on {receipt['cases']:.0f} fresh cases that nothing had looked at; luck alone does that"
        f" {1000 * receipt['p']:.0f} times in 1,000",
    )
