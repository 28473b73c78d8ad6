"""The simulated world behind the seams of training: a target and an optimiser that need no model.

    world = World(spec=WorldSpec(seed=1))
    roller = Scoring(target=SimulatedTarget(world=world), scorers=Scorers())
    optimiser = SimulatedOptimiser(world=world)

`world.gain(document)` then tells how much of what there was to gain a trained document has.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from metier.cli.demo.world.jobs import answer_to
from metier.cli.demo.world.optimiser import OptimiserPrompt, WorldOptimiser
from metier.cli.demo.world.proposer import Proposer
from metier.cli.demo.world.world import World, document
from metier.models.failures import Refused
from metier.models.model import Reply
from metier.skills.package import Package
from metier.training.targets.target import Attempt, Broken
from metier.types import Tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from metier.models.failures import Failure
    from metier.models.model import Request, Texts, Vectors
    from metier.types.trials import Case


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedTarget:
    """An agent of the simulated world."""

    world: World
    broken: float = 0.0
    """The share of attempts that the world fails, again at every retry."""

    @property
    def identity(self) -> str:
        """The world it lives in."""
        return f"simulated {self.world.spec} broken={self.broken:g}"

    def run(self, case: Case, skill: Package | None, sample: int) -> Attempt | Broken:
        """What it answers to a case under a skill."""
        text = "" if skill is None else skill.document.decode("utf-8", "replace")
        if self.broken and self.world.uniform("broken", case.id, text, sample) < self.broken:
            return Broken(reason="the simulated world was out of order", again=False)
        output = answer_to(self.world, case.id, text, sample)
        return Attempt(output=output, tokens=Tokens(input=len(text.split()) + len(case.input.split()), output=1))


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedOptimiser:
    """A model that answers a trainer's questions as the simulated world's proposer would."""

    world: World
    edits: int = 1
    """Edits in a proposal."""
    whole: int = 0
    """Proposals of one edit each that a document written anew takes up; 0: one, as analysts make."""

    @property
    def identity(self) -> str:
        """The world it proposes for."""
        return f"simulated optimiser {self.world.spec} edits={self.edits}" + (f" {self.whole}" if self.whole else "")

    def complete(self, request: Request) -> Reply | Failure:
        """The answer in the shape that is asked for."""
        words = "\n".join([request.system, *(message.text for message in request.messages)])
        fields = tuple(_properties(request.schema.json)) if request.schema else ()
        optimiser = WorldOptimiser(proposer=Proposer(world=self.world, edits=self.edits), whole=self.whole)
        answer = optimiser.answer(OptimiserPrompt(words=words, fields=fields, sample=request.sample))
        if answer is None:
            return Refused(reason="the simulated optimiser does not know what is asked")
        text = json.dumps(answer, ensure_ascii=False)
        return Reply(text=text, model="simulated", tokens=Tokens(input=len(words.split()), output=len(text.split())))

    def embed(self, texts: Texts) -> Vectors | Failure:
        """It has no embeddings."""
        return Refused(reason="the simulated optimiser embeds nothing")


def skill_of(lines: Iterable[str] = ()) -> Package:
    """A skill of the simulated world with these lines."""
    return Package(files={"SKILL.md": document(lines).encode()})


def _properties(schema: str) -> Mapping[str, object]:
    return cast("Mapping[str, Mapping[str, object]]", json.loads(schema)).get("properties", {})
