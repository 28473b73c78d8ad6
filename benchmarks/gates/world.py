"""One training in the simulated world, with its truth: what `gates.py` compares the gates by."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from metier.cli.demo.world.jobs import cases
from metier.cli.demo.world.target import SimulatedOptimiser, skill_of
from metier.cli.demo.world.world import FREE_LINES, PER_LINE, UNSEEN, World, WorldSpec, document, line, rules_in
from metier.statistics.intervals import paired_interval
from metier.training.cases.splits import Splits
from metier.training.gates.effects import estimates, halves
from metier.training.loop import train
from metier.training.presets import spec_of
from metier.training.proposing.proposals import Bundle
from metier.training.proposing.update import apply_edits
from metier.training.result import JudgedChange
from metier.training.rollouts.pool import InOrder
from metier.training.rollouts.rollout import BudgetSpent
from metier.training.state import ACCEPTED
from metier.types.trials import Rollout, Scored

if TYPE_CHECKING:
    from metier.skills.package import Package
    from metier.training.result import Effect, Trained
    from metier.types.trials import Case

TRAIN = 200
WHOLE = 6
"""Changes that a document written anew holds: as many as its author is shown jobs that failed, or so."""
LEVEL = 0.95
"""At which a report states the interval of the gain."""
SEARCH: dict[str, Any] = {
    "epochs": 60,
    "batch": 8,  # what a proposal looks at
    "failures_only": True,
    "schedule": "constant",
    "slow": False,
    "meta": False,
    "baselines": False,
    "ahead": False,
    "recall": 0,
}
"""The same for every arm: proposals as the world makes them, until the rollouts are used up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A world to train in."""

    name: str
    rules: int
    """Good ones, and as many harmful ones."""
    edits: int
    """In one proposal."""
    rho: float
    budget: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """A gate with its settings."""

    name: str
    val: int = 100
    preset: str = "classic"
    changes: dict[str, Any] = field(default_factory=dict)


@dataclass(kw_only=True)
class Truth:
    """What documents are really worth, all unseen jobs at once."""

    world: World
    _known: dict[str, float] = field(default_factory=dict)

    @cached_property
    def _jobs(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        spec = self.world.spec
        jobs = [self.world.traits(f"u{number:04d}") for number in range(UNSEEN)]
        return (
            np.array([job.base for job in jobs]),
            np.array([[job.gains.get(rule, 0.0) for rule in range(spec.good)] for job in jobs]),
            np.array([[job.losses.get(rule, 0.0) for rule in range(spec.harmful)] for job in jobs]),
        )

    def rate(self, text: str) -> float:
        """The success rate under a document."""
        if text not in self._known:
            base, good, harm = self._jobs
            holds = rules_in(text)
            odds = base + good[:, sorted(holds.good)].sum(1) + harm[:, sorted(holds.harmful)].sum(1)
            odds = odds - PER_LINE * max(0, len(holds.lines) - FREE_LINES)
            self._known[text] = float(np.mean(1 / (1 + np.exp(-odds))))
        return self._known[text]

    def gain(self, text: str) -> float:
        """The share of the way from the empty skill to all good rules."""
        nothing, everything = self.rate(""), self.rate(document(line("G", n) for n in range(self.world.spec.good)))
        return (self.rate(text) - nothing) / (everything - nothing)

    def effects(self, text: str, found: tuple[Effect, ...]) -> list[float]:
        """What screened edits were really worth on a document, among the halves of the others."""
        skill = _package(text)
        pairs = halves(len(found), seed=1)
        rates = [
            tuple(
                self.rate(
                    apply_edits(
                        skill, Bundle(items=tuple(one.edit for one, there in zip(found, half, strict=True) if there))
                    ).package.document.decode()
                )
                for half in pair
            )
            for pair in pairs
        ]
        return [one.effect for one in estimates(pairs, [first - second for first, second in rates])]


class Roller:
    """The world's agent without any wait, and a limit."""

    def __init__(self, world: World, budget: int) -> None:
        self.world, self.budget, self.made = world, budget, 0
        self.texts: dict[str, str] = {}
        self._known: dict[int, tuple[Package, str, str]] = {}

    def roll(self, case: Case, skill: Package | None, sample: int) -> Rollout | BudgetSpent:
        """Whether a job succeeds under a skill."""
        if self.made >= self.budget or skill is None:
            return BudgetSpent(reason="all rollouts are made")
        self.made += 1
        if id(skill) not in self._known:
            self._known[id(skill)] = (skill, skill.document.decode(), skill.hash())
            self.texts[skill.hash()] = skill.document.decode()
        _, text, name = self._known[id(skill)]
        passed = self.world.passes(case.id, text, sample)
        said = "" if passed else f"{case.id}-open-0000"
        score = Scored(hard=float(passed), soft=float(passed))
        return Rollout(case=case.id, skill_hash=name, target="", score=score, sample=sample, output=said)


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """One training, and the truth about it."""

    points: tuple[tuple[int, float], ...]
    """Rollouts made, and the true gain of the best skill from then on."""
    bias: float
    """The gain in success rate that was reported, less the true one; without what the val cases that were drawn and
    the initial skill's luck do to any skill, which is nothing on average and would blur a mean over few seeds."""
    covered: bool
    """Whether the interval stated for that gain holds the true one."""
    accepts: int
    wrong: int
    """Accepts that made it no better."""
    effects: tuple[bool, ...]
    """For every edit with an effect on the record: whether its interval holds the truth."""
    gated: float
    """The share of rollouts that gates took."""

    @property
    def gain(self) -> float:
        """Of the best skill, at the end."""
        return self.points[-1][1]

    def at(self, rollouts: int) -> float:
        """The true gain of what was best after so many rollouts."""
        return [gain for made, gain in self.points if made <= rollouts][-1]

    def until(self, share: float, otherwise: int) -> int:
        """Rollouts until the best skill had a share of the gain."""
        return next((made for made, gain in self.points if gain >= share), otherwise)


def play(place: Field, arm: Arm, seed: int) -> Played:
    """Train once."""
    world = World(spec=WorldSpec(seed=seed, good=place.rules, harmful=place.rules, rho=place.rho))
    splits = Splits(train=cases(world, "train", TRAIN), val=cases(world, "val", arm.val), test=())
    roller, truth = Roller(world, place.budget), Truth(world=world)
    optimiser = SimulatedOptimiser(world=world, edits=place.edits, whole=WHOLE)
    spec = spec_of(arm.preset, **{**SEARCH, **arm.changes, "seed": seed})
    events = train(skill_of(), splits, roller, optimiser, InOrder(), spec)
    points = [(0, 0.0)]
    while True:
        try:
            event = next(events)
        except StopIteration as end:
            return _played(end.value, tuple(points), truth, roller)
        if event.kind == "decided" and event.action == "accept_new_best":
            points.append((roller.made, truth.gain(roller.texts[event.skill_hash])))


def _played(trained: Trained, points: tuple[tuple[int, float], ...], truth: Truth, roller: Roller) -> Played:
    initial, best = trained.baseline("initial", "val"), trained.baseline("best", "val")
    before, after = (one.scores.scored() if one and one.scores else {} for one in (initial, best))
    deltas = [after[case].hard - before[case].hard for case in before if case in after]
    true = truth.rate(trained.best.document.decode()) - truth.rate("")
    now, accepts, wrong, held_truth = skill_of().document.decode(), 0, 0, list[bool]()
    for step in trained.steps:
        outcome = step.outcome
        if not isinstance(outcome, JudgedChange):
            continue
        if outcome.effects:
            real = truth.effects(now, outcome.effects)
            held_truth += [one.interval.holds(effect) for one, effect in zip(outcome.effects, real, strict=True)]
        if outcome.decision.action in ACCEPTED:
            text = roller.texts[outcome.skill_hash]
            accepts, wrong, now = accepts + 1, wrong + (truth.rate(text) <= truth.rate(now)), text
    calls = {stage: used.calls for stage, used in trained.usage}
    return Played(
        points=points,
        bias=float(np.mean(deltas)) - true - _drawn(truth, before),
        covered=paired_interval(deltas, LEVEL).holds(true),
        accepts=accepts,
        wrong=wrong,
        effects=tuple(held_truth),
        gated=calls["gate"] / (calls["gate"] + calls["rollout"]),
    )


def _drawn(truth: Truth, initial: dict[str, Scored]) -> float:
    """What these val cases and attempts make of the gain of a skill that nobody chose: the one with all good rules."""
    world = truth.world
    full = document(line("G", number) for number in range(world.spec.good))
    seen = float(np.mean([world.chance(case, full) - score.hard for case, score in initial.items()]))
    return seen - (truth.rate(full) - truth.rate(""))


def _package(text: str) -> Package:
    made = skill_of()
    return made.with_files({"SKILL.md": text.encode()})
