"""A small world to train in: a case goes well when the skill holds the rule it needs, and guessing spoils it."""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING

from metier.models.model import Reply
from metier.skills.package import Package
from metier.training.service.order import Order
from metier.training.spec import Spec
from metier.types import Tokens
from metier.types.trials import Case

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from metier.models.failures import Failure
    from metier.models.model import Request, Texts, Vectors
    from metier.training.events import Event
    from metier.training.train import Finished
    from metier.workspace import Workspace

RULES = ("Write units.", "Name the sign.", "Round half up.")
GUESS = "Guess wildly."
TEXT = "---\nname: adder\ndescription: Adds numbers. Use when two numbers are to be added.\n---\n\n# Adder\n\nAdd.\n"
QUICK = Spec.of(epochs=2, batch=20, slow_cases=6)


def cases(count: int = 120) -> tuple[Case, ...]:
    """Every fourth case goes well in any case, the others need one rule each."""
    return tuple(Case(id=f"c{n}", input=f"{n} + 1", expected=str(n + 1)) for n in range(count))


def write_cases(path: Path, count: int = 120) -> str:
    """The same as a file."""
    lines = [json.dumps({"id": one.id, "input": one.input, "expected": one.expected}) for one in cases(count)]
    path.write_text("\n".join(lines), encoding="utf-8")
    return str(path)


def solve(case: Case, skill: str) -> str:
    """What the agent of this world answers."""
    needed = int(case.id[1:]) % 4
    well = (needed == 3 or RULES[needed] in skill) and GUESS not in skill
    return case.expected if well else "no idea"


@dataclass
class Agent:
    """A target that counts what it was asked; `notes` is a file that survives a kill."""

    notes: Path | None = None
    seconds: float = 0.0
    asked: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    _lock: Lock = field(default_factory=Lock)

    def __call__(self, case: Case, skill: str) -> str:
        with self._lock:
            self.asked[case.id, skill] += 1
            if self.notes:
                with self.notes.open("a", encoding="utf-8") as file:
                    file.write(f"{case.id} {len(skill)}\n")
        time.sleep(self.seconds)
        return solve(case, skill)

    __qualname__ = "agent of the world"


class Optimiser:
    """A model that proposes the first rule the skill lacks, and to guess when it lacks none."""

    identity = "optimiser of the world"

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self._lock = Lock()

    def complete(self, request: Request) -> Reply | Failure:
        """What the stage asks for; the question decides, never when it came."""
        with self._lock:
            self.requests.append(request)
        text = request.messages[0].text
        skill = re.split(r"</skill", text)[0]
        lacking = [rule for rule in RULES if rule not in skill]
        edit = {"op": "append", "content": (lacking or [GUESS])[0]}
        answers: dict[str, object] = {
            "slow": {"slow_update_content": "Keep to the rules."},
            "meta": {"meta_skill_content": "One rule at a time."},
            "one_shot": {"new_skill": TEXT + RULES[0] + "\n"},
        }
        said = answers.get(request.stage, {"reasoning": "seen", "edits": [edit]})
        return Reply(text=json.dumps(said), model="world", tokens=Tokens(input=50, output=10))

    def embed(self, texts: Texts) -> Vectors | Failure:
        """Never asked."""
        raise NotImplementedError


def start() -> Package:
    """The skill it begins with."""
    return Package(files={"SKILL.md": TEXT.encode()})


def place(folder: Path) -> Path:
    """The skill in the library of a workspace."""
    home = folder / ".agents" / "skills" / "adder"
    home.mkdir(parents=True)
    (home / "SKILL.md").write_text(TEXT, encoding="utf-8")
    return home


def order(**other: object) -> Order:
    """A training in this world, in the library's `adder`."""
    given: dict[str, object] = {
        "skill": "adder", "start": start(), "cases": cases(), "target": Agent(), "optimiser": Optimiser(),
        "spec": QUICK, "workers": 4, **other,
    }  # fmt: skip
    return Order(**given)  # pyright: ignore[reportArgumentType]


def ended(work: Generator[Event, None, Finished]) -> tuple[Finished, list[Event]]:
    """What a training came to, and what it said."""
    events: list[Event] = []
    while True:
        try:
            events.append(next(work))
        except StopIteration as end:
            return end.value, events


def trained(ws: Workspace, asked: Order, *, apply: bool = False) -> Finished:
    """A training from beginning to end."""
    from metier.training.service.ship import train_and_ship

    return ended(train_and_ship(ws.library, asked, apply=apply))[0]
