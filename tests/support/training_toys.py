"""A toy world for tests of training: a case goes well when the skill holds the rule that it needs."""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from dataclasses import dataclass, field
from hashlib import sha256
from threading import Lock
from typing import TYPE_CHECKING

from metier.models.failures import Unreachable
from metier.models.model import Reply
from metier.models.scripted import Scripted, fails, on, says
from metier.skills.package import Package
from metier.training.cases.splits import Splits
from metier.training.loop import train
from metier.training.proposing.optimiser import Optimiser
from metier.training.proposing.proposals import Bundle, ProposedChange
from metier.training.proposing.reflect import Setting
from metier.training.rollouts.pool import InOrder, PoolUsage
from metier.training.rollouts.rollout import BudgetSpent
from metier.training.rollouts.usage import Bill
from metier.types import Append, Tokens
from metier.types.trials import Case, Rollout, Scored, Unscored

if TYPE_CHECKING:
    from metier.models.model import Model, Request
    from metier.training.events import Event
    from metier.training.gates.gate import Gate
    from metier.training.proposing.memory import RejectedEdit
    from metier.training.proposing.proposals import Source
    from metier.training.result import Trained
    from metier.training.rollouts.pool import Pool
    from metier.training.rollouts.rollout import Roller
    from metier.training.spec import Spec
    from metier.types.trials import Score

TEXT = "---\nname: toy\ndescription: Use it for toys.\n---\n# Toy\n\nDo it well.\n"
DOWN = Unreachable(reason="nobody there")


def package(text: str = TEXT, **files: str) -> Package:
    return Package(files={"SKILL.md": text.encode(), **{name: content.encode() for name, content in files.items()}})


def case(number: int, rule: str = "", prefix: str = "c") -> Case:
    return Case(id=f"{prefix}{number}", input=f"task {prefix}{number}", expected=f"secret answer {rule}", tags=(rule,))


def splits(train: int = 24, val: int = 12, test: int = 6, rules: int = 6) -> Splits:
    """Cases that need one of a few rules each, spread evenly."""
    made = {
        prefix: tuple(case(number, f"rule-{number % rules}", prefix) for number in range(count))
        for prefix, count in (("train", train), ("val", val), ("test", test))
    }
    return Splits(train=made["train"], val=made["val"], test=made["test"])


@dataclass
class Rules:
    """A roller of this world; `slow` makes every rollout take a time that only chance knows."""

    slow: float = 0.0
    limit: int | None = None
    broken: tuple[str, ...] = ()
    made: Counter[tuple[str, str, int]] = field(default_factory=Counter[tuple[str, str, int]])
    _lock: Lock = field(default_factory=Lock)

    def roll(self, case: Case, skill: Package | None, sample: int) -> Rollout | BudgetSpent:
        name = "" if skill is None else skill.hash()
        with self._lock:
            if self.limit is not None and self.made.total() >= self.limit:
                return BudgetSpent(reason="no more rollouts")
            self.made[case.id, name, sample] += 1
        if self.slow:
            time.sleep(self.slow * int.from_bytes(time.perf_counter_ns().to_bytes(8)[-1:]) / 255)
        return Rollout(
            case=case.id,
            skill_hash=name,
            target="toy",
            score=self._score(case, skill),
            sample=sample,
            output=f"asked for {case.input}, and nothing said {case.tags[0]}",
            tokens=Tokens(input=7, output=3),
        )

    def _score(self, case: Case, skill: Package | None) -> Score:
        if case.id in self.broken:
            return Unscored(reason="the world was closed")
        there = float(skill is not None and f"- {case.tags[0]}" in skill.document.decode())
        return Scored(hard=there, soft=there)


class Teacher:
    """An optimiser that proposes the rules its cases lacked; what is asked decides, never when."""

    identity = "teacher"

    def __init__(self, slow: float = 0.0) -> None:
        self.slow = slow
        self.asked: list[Request] = []

    def complete(self, request: Request) -> Reply:
        self.asked.append(request)
        text = request.messages[0].text
        if self.slow:
            time.sleep(self.slow * int.from_bytes(time.perf_counter_ns().to_bytes(8)[-1:]) / 255)
        rules = sorted(set(re.findall(r"rule-\d", text.split("<rollouts")[-1].split("<patches")[-1])))
        edits = [{"op": "append", "content": f"- {rule}"} for rule in rules if f"\n- {rule}" not in text]
        answers: dict[str, object] = {
            "reflect": {"edits": edits[:2], "failure_patterns": [f"lacks {rule}" for rule in rules]},
            "merge": {"edits": edits},
            "rank": {"selected_indices": list(range(9))},
            "slow": {"slow_update_content": f"Mind what regressed ({sha256(text.encode()).hexdigest()[:4]})."},
            "meta": {"meta_skill_content": "Single rules help."},
            "one_shot": {"new_skill": f"{TEXT}- rule-0\n- rule-1\n"},
        }
        return Reply(text=json.dumps(answers[request.stage]), tokens=Tokens(input=11, output=5))

    def embed(self, texts: object) -> Unreachable:
        del texts
        return DOWN


@dataclass(frozen=True)
class Ran:
    """A whole training: its events and its result."""

    events: list[Event]
    trained: Trained

    def of(self, kind: str) -> list[Event]:
        return [event for event in self.events if event.kind == kind]

    @property
    def actions(self) -> list[str]:
        """What the gate decided about the steps, in order."""
        return [event.action for event in self.events if event.kind == "decided" and event.change == "step"]

    @property
    def text(self) -> str:
        return self.trained.best.document.decode()


def run(
    spec: Spec,
    *,
    world: Roller | None = None,
    model: Model | None = None,
    pool: Pool | None = None,
    cases: Splits | None = None,
    start: Package | None = None,
    known: tuple[RejectedEdit, ...] = (),
    gate: Gate | None = None,
) -> Ran:
    """Train to the end."""
    given = (start or package(), cases or splits(), world or Rules(), model or Teacher(), pool or InOrder())
    steps = train(*given, spec, known=known, gate=gate)
    events: list[Event] = []
    while True:
        try:
            events.append(next(steps))
        except StopIteration as end:
            return Ran(events, end.value)


def desk(*answers: object, stage: str = ".") -> tuple[Optimiser, Scripted]:
    """A desk whose model gives these answers one after the other; None is a failure."""
    acts = [fails(DOWN) if answer is None else says(answer) for answer in answers]
    model = Scripted(on(stage, *acts)) if acts else Scripted()
    return Optimiser(model, PoolUsage(InOrder()), Bill(), 5.0), model


def setting(text: str = TEXT) -> Setting:
    return Setting(skill=package(text), memory="", meta="")


def bundle(*contents: str, source: Source = "failure", support: int = 1) -> Bundle:
    return Bundle(
        items=tuple(ProposedChange(what=Append(content=one), source=source, support=support) for one in contents)
    )


def contents(made: Bundle) -> list[str]:
    return [one.what.content for one in made.items if isinstance(one.what, Append)]
