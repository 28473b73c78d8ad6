"""The target that lets a raw model go on where a prompt ends: the skill comes first, so that its prefix is cached."""

from __future__ import annotations

import time
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from metier.errors import UsageError
from metier.models.model import Message, Reply, Request
from metier.training.targets.prompt import broken_attempt, skill_text, task_text
from metier.training.targets.target import Attempt, Broken
from metier.types.trials import NO_TOKENS, Case

if TYPE_CHECKING:
    from collections.abc import Callable

    from metier.models.model import Model
    from metier.skills.package import Package
    from metier.training.targets.target import TargetSetup

SKILL, INPUT = "{skill}", "{input}"
TEMPLATE = "{skill}\n\n{input}\n\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionTarget:
    """A model behind `/v1/completions`, held to a grammar where one is given."""

    model: Model
    """One that speaks raw completions: `completion:NAME@URL`."""
    template: str = TEMPLATE
    """The whole prompt, chat marks included where the model knows them; `{skill}` stands before `{input}`."""
    grammar: str = ""
    """GBNF, as llama.cpp reads it."""
    stop: tuple[str, ...] = ()
    temperature: float = 0.0
    max_tokens: int = 256
    seconds: float = 120.0
    clock: Callable[[], float] = time.monotonic

    def __post_init__(self) -> None:
        if not 0 <= self.template.find(SKILL) < self.template.find(INPUT):
            raise UsageError(f"The template must contain {SKILL}, and {INPUT} after it.")

    @property
    def identity(self) -> str:
        """The model, and how it is asked."""
        asked = repr((self.template, self.grammar, self.stop, self.temperature, self.max_tokens))
        return f"completion {self.model.identity} {sha256(asked.encode('utf-8', 'replace')).hexdigest()[:16]}"

    def run(self, case: Case, skill: Package | None, sample: int) -> Attempt | Broken:
        """What the model writes on."""
        began = self.clock()
        reply = self.model.complete(self._request(case, skill, sample))
        if not isinstance(reply, Reply):
            return broken_attempt(reply)
        return Attempt(output=reply.text, tokens=reply.tokens or NO_TOKENS, seconds=self.clock() - began)

    def _request(self, case: Case, skill: Package | None, sample: int) -> Request:
        before, _, rest = self.template.partition(SKILL)
        between, _, after = rest.partition(INPUT)
        text = skill_text(skill)
        return Request(
            system=before + text + (between if text or before else between.lstrip()),
            messages=(Message(text=task_text(case) + after),),
            grammar=self.grammar,
            stop=self.stop,
            temperature=self.temperature,
            max_tokens=self.max_tokens,
            sample=sample,
            timeout=self.seconds,
            stage="rollout",
        )


def target_from(text: str, setup: TargetSetup) -> CompletionTarget:
    """The target `completion=MODEL`."""
    return CompletionTarget(model=setup.open_model(text), seconds=setup.seconds)
