"""Who a pass asks: the model for as long as it answers, then nobody, so that an outage is waited for only once."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel

from metier.models.build import UNSET, NoModel
from metier.models.questions import NoAnswer

if TYPE_CHECKING:
    from metier.models.questions import Asker, Question

T = TypeVar("T", bound=BaseModel)
OUTAGE = 3
"""Questions in a row without any answer, after which nobody is asked any more in this pass."""


class Patience:
    """An asker that gives up on a model which does not answer, until the next pass."""

    def __init__(self, asker: Asker) -> None:
        self._asker = asker
        self.silent = 0
        """Questions without an answer since the last one that had one."""

    @property
    def name(self) -> str:
        """What answers."""
        return self._asker.name

    @property
    def is_out(self) -> bool:
        """Whether nobody is asked any more."""
        return self.silent >= OUTAGE

    def ask(self, question: Question, kind: type[T]) -> T | NoAnswer:
        """The answer; judging asks from many threads and counts for itself, so that no result rests on their speed."""
        if self.is_out:
            return NoAnswer(reason=f"not asked: {self.name} did not answer earlier in this pass")
        answer = self._asker.ask(question, kind)
        if question.stage != "judge":
            self.silent = self.silent + 1 if isinstance(answer, NoAnswer) and not answer.answered else 0
        return answer

    def give_up(self) -> None:
        """Ask nobody any more."""
        self.silent = OUTAGE


class Nobody:
    """The asker of a model that is set but cannot be asked: what it would have judged stays unknown."""

    def __init__(self, name: str, reason: str) -> None:
        self.name = name
        self._reason = reason

    def ask(self, question: Question, kind: type[T]) -> T | NoAnswer:  # noqa: ARG002
        """Why there is no answer."""
        return NoAnswer(reason=self._reason)


def in_place_of(found: NoModel, name: str) -> Patience | None:
    """Who is asked where there is no model: nobody at all if none is set, else somebody who cannot answer."""
    return None if found is UNSET or not name else Patience(Nobody(name, found.reason))
