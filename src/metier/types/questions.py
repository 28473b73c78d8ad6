"""The seam to a model: a question in, an answer of the asked type or the reason why there is none out."""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from pydantic import BaseModel

T = TypeVar("T", bound="BaseModel")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a model is asked, how freely it may answer, and how long it may take."""

    prompt: str
    stage: str
    """What the answer is for: `judge`, `cluster`, `draft`."""
    temperature: float = 0.0
    max_tokens: int = 2_048
    """Where the answer is cut; it also bounds what it can cost."""
    timeout: float | None = None
    """Seconds the caller has, if less than the settings give this stage."""

    @property
    def hash(self) -> str:
        """Sixteen digits that stand for the words of the question."""
        return sha256(self.prompt.encode("utf-8", "replace")).hexdigest()[:16]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoAnswer:
    """Nobody answered, or nothing that could be used."""

    reason: str
    answered: bool = False
    """Something came back and could not be used: the same question would most likely fail again.

    False is an outage: no connection, no time, no budget, no key; another question would fare the same now.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class NoModel:
    """There is nothing to ask: why, and how to change that."""

    reason: str
    fix: str = ""


UNSET = NoModel(
    reason="No model is set: learning uses heuristics.",
    fix="Set one: metier config set model anthropic:claude-haiku-4-5, and its key in the variable ANTHROPIC_API_KEY.",
)


class Asker(Protocol):
    """Something that answers questions with values of a given type; it never raises for what a model does.

    It may be asked by several threads at once.
    """

    @property
    def name(self) -> str:
        """What answers, as it stands in verdicts and provenance."""
        ...

    def ask(self, question: Question, kind: type[T]) -> T | NoAnswer:
        """The answer, already of that type, or why there is none."""
        ...


def as_data(value: object, indent: int | None = None) -> str:
    """A value as JSON that stands between tags in a question; no text in it can close them."""
    return json.dumps(value, ensure_ascii=False, indent=indent).replace("</", "<\\/")
