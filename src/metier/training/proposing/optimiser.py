"""Where the optimiser is asked: through the pool, with the cost of each stage kept."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Generic, TypeVar

from pydantic import BaseModel

from metier.models.answers import Answer, ask
from metier.models.failures import Malformed, OverBudget, one_line
from metier.models.model import Message, Reply, Request
from metier.prompts import load, render
from metier.training.rollouts.rollout import Halt
from metier.training.rollouts.usage import Bill, StageUsage
from metier.types.trials import NO_TOKENS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from metier.models.failures import Failure
    from metier.models.model import Model, Texts, Vectors
    from metier.training.rollouts.pool import Pending, PoolUsage

T = TypeVar("T", bound=BaseModel)
FIRST = 0
"""The urgency of a call that others wait for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OptimiserQuestion(Generic[T]):
    """What the optimiser is asked, and what it must answer."""

    stage: str
    prompt: str
    kind: type[T]
    max_tokens: int = 4_096


@dataclass(frozen=True, slots=True, kw_only=True)
class OptimiserReply(Generic[T]):
    """The answer, or why there is none, and what it took."""

    stage: str
    value: T | None
    reason: str = ""
    spent: bool = False
    usage: StageUsage


class Optimiser:
    """Asks; only the thread that drives a run reads answers."""

    def __init__(self, model: Model, crew: PoolUsage, bill: Bill, timeout: float) -> None:
        self._model = model
        self._crew = crew
        self._bill = bill
        self._timeout = timeout
        self.meanwhile: Callable[[], None] = lambda: None
        """What is done between asking and waiting for answers."""

    def ask(self, question: OptimiserQuestion[T], urgency: int = FIRST) -> Pending[OptimiserReply[T]]:
        """Hand in a question, and go on."""
        return self._crew.submit(lambda: answer_question(self._model, question, self._timeout), urgency=urgency)

    def read(self, pending: Pending[OptimiserReply[T]]) -> OptimiserReply[T]:
        """The answer when it is there; Halt when nothing more may be spent."""
        asked = pending.result()
        self._bill.add(asked.stage, asked.usage)
        if asked.spent:
            raise Halt(asked.reason)
        return asked

    def gather(self, questions: Sequence[OptimiserQuestion[T]]) -> tuple[OptimiserReply[T], ...]:
        """The answers to questions that are asked together, in their order."""
        pending = [self.ask(question) for question in questions]
        self.meanwhile()
        return tuple(self.read(one) for one in pending)

    def one(self, question: OptimiserQuestion[T]) -> OptimiserReply[T]:
        """The answer to one question."""
        return self.gather((question,))[0]


def answer_question(model: Model, question: OptimiserQuestion[T], timeout: float) -> OptimiserReply[T]:
    """The answer to a question, whatever the model does."""
    metered = _Metered(model)
    request = Request(
        messages=(Message(text=question.prompt),),
        max_tokens=question.max_tokens,
        timeout=timeout,
        stage=question.stage,
    )
    answer = ask(metered, request, question.kind)
    usage = metered.usage
    if isinstance(answer, Answer):
        return OptimiserReply(stage=question.stage, value=answer.value, usage=usage)
    reason, spent = one_line(answer.reason), isinstance(answer, OverBudget)
    return OptimiserReply(stage=question.stage, value=None, reason=reason, spent=spent, usage=usage)


def prompt(name: str, **values: str) -> str:
    """One of our prompts with its placeholders filled."""
    return render(_text(name), **values).strip()


@cache
def _text(name: str) -> str:
    return load("metier.training", name)


class _Metered:
    """A model that counts what one question takes."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.usage = StageUsage()

    @property
    def identity(self) -> str:
        return self._model.identity

    def complete(self, request: Request) -> Reply | Failure:
        reply = self._model.complete(request)
        tokens = reply.tokens if isinstance(reply, Reply | Malformed) else None
        self.usage += StageUsage(calls=1, tokens=tokens or NO_TOKENS)
        return reply

    def embed(self, texts: Texts) -> Vectors | Failure:
        return self._model.embed(texts)
