"""The seam to a model: a question in, an answer of the asked type or the reason why there is none out."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import Protocol, TypeVar

from pydantic import BaseModel

T = TypeVar("T", bound=BaseModel)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a model is asked, how freely it may answer, and how long it may take."""

    prompt: str
    stage: str
    """What the answer is for: `judge`, `draft`."""
    temperature: float = 0.0
    timeout: float = 60.0
    """Seconds; a caller's tighter deadline wins."""

    @property
    def hash(self) -> str:
        """Sixteen digits that stand for the words of the question."""
        return sha256(self.prompt.encode("utf-8", "replace")).hexdigest()[:16]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoAnswer:
    """Nobody answered, or nothing that could be used."""

    reason: str
    answered: bool = False
    """Something came back and could not be used: the same question would most likely fail again."""


class Asker(Protocol):
    """Something that answers questions with values of a given type; it never raises for what a model does."""

    @property
    def name(self) -> str:
        """What answers, as it stands in verdicts and provenance."""
        ...

    def ask(self, question: Question, kind: type[T]) -> T | NoAnswer:
        """The answer, already of that type, or why there is none."""
        ...
