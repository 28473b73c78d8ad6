"""The target that asks a chat model: the skill stands in the system text, the case is what is asked."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING

from metier.models.model import Message, Reply, Request
from metier.models.price import unknown_price
from metier.prompts import load, render
from metier.training.targets.prompt import broken_attempt, skill_text, task_text
from metier.training.targets.target import Attempt, Broken
from metier.types.trials import NO_TOKENS, Case

if TYPE_CHECKING:
    from collections.abc import Callable

    from metier.models.model import Model
    from metier.models.price import Price
    from metier.skills.package import Package
    from metier.training.targets.target import TargetSetup


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatTarget:
    """A chat model that answers in one turn."""

    model: Model
    system: str = ""
    """What it is told with and without a skill."""
    temperature: float = 0.0
    max_tokens: int = 2048
    seconds: float = 120.0
    files: bool = False
    """Whether it is shown the skill's other text files, too."""
    price: Price = unknown_price
    clock: Callable[[], float] = time.monotonic

    @property
    def identity(self) -> str:
        """The model, and how it is asked."""
        return f"chat {self.model.identity} {_asked((self.system, self.temperature, self.max_tokens, self.files))}"

    def run(self, case: Case, skill: Package | None, sample: int) -> Attempt | Broken:
        """One reply."""
        began = self.clock()
        reply = self.model.complete(self._request(case, skill, sample))
        if not isinstance(reply, Reply):
            return broken_attempt(reply)
        cost = None if reply.tokens is None else self.price(reply.tokens)
        return Attempt(
            output=reply.text,
            trace="the reply was cut off at the token limit" if reply.finish == "length" else "",
            tokens=reply.tokens or NO_TOKENS,
            cost_usd=None if cost is None else float(cost),
            seconds=self.clock() - began,
        )

    def _request(self, case: Case, skill: Package | None, sample: int) -> Request:
        text = skill_text(skill, files=self.files)
        told = [self.system, _told(text)] if text else [self.system]
        return Request(
            messages=(Message(text=task_text(case)),),
            system="\n\n".join(filter(None, told)),
            temperature=self.temperature,
            max_tokens=self.max_tokens,
            sample=sample,
            timeout=self.seconds,
            stage="rollout",
        )


@cache
def _asked(how: tuple[str, float, int, bool]) -> str:
    """A hash of how a model is asked."""
    return sha256(repr((*how, _prompt())).encode("utf-8", "replace")).hexdigest()[:16]


@lru_cache(maxsize=64)
def _told(skill: str) -> str:
    """What a model is told of a skill."""
    return render(_prompt(), skill=skill)


@cache
def _prompt() -> str:
    return load("metier.training", "target").strip()


def target_from(text: str, setup: TargetSetup) -> ChatTarget:
    """The target `chat` or `chat=MODEL`."""
    return ChatTarget(model=setup.open_model(text), seconds=setup.seconds)
