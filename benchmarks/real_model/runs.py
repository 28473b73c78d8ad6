"""One training of the real model as `ws.train` does it, and the test afterwards on the skills it went through."""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from proposer import Failed, Proposer, example
from tasks import TEMPLATE, Task, package

from metier.models.builder import build
from metier.models.spec import parse_spec
from metier.training.presets import spec_of
from metier.training.rollouts.rollout import ScoringRoller
from metier.training.scoring.scorers import Scorers
from metier.training.service.order import Order, TrainLimits
from metier.training.targets.target import Attempt, Broken
from metier.training.train import train
from metier.types.questions import NoModel
from metier.types.trials import Rollout, Scored
from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.models.model import Model
    from metier.skills.package import Package
    from metier.training.targets.chat import ChatTarget
    from metier.training.targets.completion import CompletionTarget
    from metier.types.trials import Case

SEARCH: dict[str, Any] = {
    "epochs": 20,  # until the rollouts are used up
    "batch": 20,
    "show_expected": True,
    "slow": False,  # nothing a program could write
    "meta": False,
    "baselines": False,  # measured apart
    "timeout": 600.0,
}
"""The same for every preset; all else is as the preset says."""
FAILURES = 8
"""Of which a one-shot skill is made, as in a training's own baseline."""


class Answers:
    """What the model said before, and how long it took: asked without chance it says the same again."""

    def __init__(self, file: Path) -> None:
        self._file, self._lock = file, Lock()
        lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
        self._known: dict[str, Attempt] = {}
        for line in lines:
            key, output, seconds = json.loads(line)
            self._known[key] = Attempt(output=output, seconds=seconds)

    def get(self, key: str) -> Attempt | None:
        """The answer, if there was one."""
        return self._known.get(key)

    def put(self, key: str, attempt: Attempt) -> None:
        """Keep an answer."""
        with self._lock, self._file.open("a", encoding="utf-8") as file:
            self._known[key] = attempt
            file.write(json.dumps([key, attempt.output, round(attempt.seconds, 3)]) + "\n")


@dataclass(kw_only=True)
class Watched:
    """The model on one task: counts its attempts and their seconds, and keeps the skills it was given."""

    task: Task
    address: str
    """Where the small model listens, or, with `chat`, a model as Metier's settings name it."""
    answers: Answers
    chat: bool = False
    made: int = 0
    seconds: float = 0.0
    skills: dict[str, Package] = field(default_factory=dict[str, "Package"])

    @property
    def identity(self) -> str:
        """The model and the task; not the small model's address, which is another one each time."""
        return f"{self.address if self.chat else 'smollm2'} {self.task.name}"

    def run(self, case: Case, skill: Package | None, sample: int) -> Attempt | Broken:
        """What the model answers, asked or remembered; either is an attempt that counts."""
        name = "" if skill is None else skill.hash()
        asked = [name, case.input, self.task.labels, f"chat {self.address}" if self.chat else TEMPLATE]
        key = sha256(json.dumps(asked).encode()).hexdigest()[:24]
        attempt = self.answers.get(key)
        if attempt is None:
            attempt = self._target().run(case, skill, sample)
            if isinstance(attempt, Broken):
                return attempt
            self.answers.put(key, attempt)
        self.made += 1
        self.seconds += attempt.seconds
        if skill is not None:
            self.skills[name] = skill
        return attempt

    def _target(self) -> ChatTarget | CompletionTarget:
        if self.chat:
            return self.task.chat_target(model_of(self.address))
        return self.task.target(model_of(f"completion:smollm2@{self.address}"))

    def all(self, skill: Package | None, cases: Sequence[Case]) -> list[Rollout]:
        """Cases tried under a skill; one without a score ends the benchmark."""
        scoring, found = ScoringRoller(target=self, scorers=Scorers()), list[Rollout]()
        for case in cases:
            one = scoring.roll(case, skill, 0)
            if not isinstance(one, Rollout) or not isinstance(one.score, Scored):
                raise SystemExit(f"The model did not answer: {one}")
            found.append(one)
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """From so many rollouts on this was the best skill."""

    rollouts: int
    skill: Package | None
    val: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Went:
    """What came of one arm: the skills that were best, the last one last."""

    points: tuple[Point, ...]
    rollouts: int
    seconds: float
    lines: tuple[str, ...] = ()
    """What the training said."""


def fixed(skill: Package | None, rollouts: int = 0) -> Went:
    """An arm that trains nothing."""
    return Went(points=(Point(rollouts=rollouts, skill=skill),), rollouts=rollouts, seconds=0.0)


def one_shot(model: Watched, shown: int) -> Went:
    """The list of labels, and the first failures of one look at some train cases, all at once."""
    start = model.task.start()
    cases = [case for case in model.task.cases if case.split == "train"][:shown]
    pairs = zip(cases, model.all(start, cases), strict=True)
    wrong = [Failed(case.input, case.expected, one.output) for case, one in pairs if not hit(one)]
    text = "\n\n".join([start.document.decode().rstrip(), *map(example, wrong[:FAILURES])]) + "\n"
    point = Point(rollouts=shown, skill=package(text))
    return Went(points=(point,), rollouts=model.made, seconds=model.seconds)


def trained(model: Watched, preset: str, seed: int, budget: int, changes: dict[str, Any]) -> Went:
    """A training with so many rollouts to spend, in a workspace of its own."""
    task = model.task
    points, lines = [Point(rollouts=0, skill=task.start())], list[str]()
    with tempfile.TemporaryDirectory(prefix="real-model-") as folder, Workspace.open(folder) as ws:
        order = Order(
            skill=str(Path(folder) / "intents"),
            start=task.start(),
            cases=task.cases,
            target=model,
            optimiser=Proposer(seed),
            spec=spec_of(preset, **{**SEARCH, **changes, "seed": seed}),
            limits=TrainLimits(rollouts=budget),
            workers=1,
        )
        for event in train(ws.context, order):
            if event.kind == "decided" and event.action == "accept_new_best":
                points.append(Point(rollouts=model.made, skill=model.skills[event.skill_hash], val=event.score))
            if event.kind != "advanced":
                lines.append(f"{model.made:5} {event.line()}")
    return Went(points=tuple(points), rollouts=model.made, seconds=model.seconds, lines=tuple(lines))


def hit(rollout: Rollout) -> bool:
    """Whether the label is right."""
    return isinstance(rollout.score, Scored) and rollout.score.hard >= 1


@cache
def model_of(spec: str) -> Model:
    """A real model, with a key of the environment where it needs one."""
    made = build(parse_spec(spec), os.environ)
    if isinstance(made, NoModel):
        raise SystemExit(f"The real model cannot be asked: {made.reason} {made.fix}")
    return made
