"""A model behind its layers in the workspace's store, and who asks through it: learning's questions, embeddings."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel

from metier.context.models.spending import StoreCalls, StoreLedger, StoreMemo
from metier.context.models.turns import turns_of
from metier.models.answers import Answer, ask
from metier.models.failures import Malformed, Refused, one_line
from metier.models.layers.stack import Layers, build_stack
from metier.models.model import Message, Request, Texts, Vectors
from metier.models.price import price_of
from metier.types.questions import NoAnswer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from decimal import Decimal
    from typing import Self

    import numpy as np
    from numpy.typing import NDArray

    from metier.context.context import Context
    from metier.models.failures import Failure
    from metier.models.http.client import HttpModel
    from metier.models.ledger import Limits
    from metier.models.model import Model
    from metier.models.programs.agent_program import AgentProgram
    from metier.models.pydantic_ai import ForeignProvider
    from metier.models.spec import ModelSpec
    from metier.types.questions import Question

T = TypeVar("T", bound=BaseModel)
OTHER_STAGES = 60.0
"""Seconds for a question whose stage has no setting."""
UNFIT = (400, 413, 422)
"""HTTP statuses that are about the question itself, not about who asks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSpending:
    """What asking took since the asker was made."""

    calls: int
    """Made and, as far as anybody knows, charged for; attempts that came to nothing are not among them."""
    tokens: int
    cost_usd: Decimal | None
    """None: a part of it is unknown, which is not 0."""
    kept: int
    """Answers that were there already and cost nothing."""


class ModelLine:
    """The way to a model and back, its layers in the workspace's store."""

    def __init__(
        self, ctx: Context, bare: HttpModel | ForeignProvider | AgentProgram, spec: ModelSpec, limits: Limits
    ) -> None:
        self._bare = bare
        self._memo = StoreMemo(ctx)
        self._ledger = StoreLedger(ctx)
        self._redact = ctx.redact
        self.name = f"{spec.provider}:{spec.name}"
        self.is_program = spec.is_program
        self.model: Model = build_stack(
            bare,
            Layers(
                redact=ctx.redact,
                memo=self._memo,
                ledger=self._ledger,
                limits=limits,
                price=price_of(spec, ctx.clock()),
                extra_tokens=spec.extra_tokens,
                sink=StoreCalls(ctx),
                turns=turns_of(ctx, spec.provider),
            ),
        )

    def spent(self) -> ModelSpending:
        """What was asked and paid so far."""
        mine = self._ledger.mine
        return ModelSpending(calls=mine.calls, tokens=mine.tokens, cost_usd=mine.cost_usd, kept=self._memo.hits)

    def no_answer(self, failure: Failure) -> NoAnswer:
        """Why there is none, without secrets that a server may have quoted; a refused text would be refused again."""
        declined = isinstance(failure, Refused) and (failure.billed or failure.status in UNFIT)
        answered = declined or isinstance(failure, Malformed)
        return NoAnswer(reason=self._redact(one_line(failure.reason)), answered=answered)

    def close(self) -> None:
        """End all connections; questions under way end without an answer."""
        self._bare.close()


class ModelAsker:
    """Answers learning's questions through the configured model; safe for many threads."""

    def __init__(
        self,
        line: ModelLine,
        seconds: Mapping[str, float],
        within: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._line = line
        self._seconds = seconds
        self._clock = clock
        self._deadline = None if within is None else clock() + within

    @property
    def name(self) -> str:
        """What answers, as it stands in verdicts and provenance."""
        return self._line.name

    def ask(self, question: Question, kind: type[T]) -> T | NoAnswer:
        """The answer, validated, or why there is none."""
        timeout = self._timeout(question)
        if timeout <= 0:
            return NoAnswer(reason="no time is left")
        request = Request(
            messages=(Message(text=question.prompt),),
            temperature=question.temperature,
            max_tokens=question.max_tokens,
            timeout=timeout,
            stage=question.stage,
        )
        found = ask(self._line.model, request, kind, self._clock)
        return found.value if isinstance(found, Answer) else self._line.no_answer(found)

    def spent(self) -> ModelSpending:
        """What was asked and paid so far."""
        return self._line.spent()

    def close(self) -> None:
        """End all connections; questions under way end without an answer."""
        self._line.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _timeout(self, question: Question) -> float:
        """The stage's own seconds, the caller's, or what is left of the whole: the least of them."""
        limits = [self._seconds.get(question.stage, OTHER_STAGES)]
        if question.timeout is not None:
            limits.append(question.timeout)
        if self._deadline is not None:
            limits.append(self._deadline - self._clock())
        return min(limits)


class RemoteEmbedder:
    """Texts as vectors of length one from the configured model; safe for many threads."""

    def __init__(self, line: ModelLine) -> None:
        self._line = line

    @property
    def name(self) -> str:
        """What makes the vectors: those of another name cannot be compared with them."""
        return self._line.name

    def embed(self, texts: Sequence[str], timeout: float = OTHER_STAGES) -> NDArray[np.float32] | NoAnswer:
        """One row per text, zeros for a text without characters; or why there are none."""
        import numpy as np

        wanted = tuple(dict.fromkeys(text for text in texts if text.strip()))
        if not wanted:
            return np.zeros((len(texts), 0), dtype=np.float32)
        found = self._line.model.embed(Texts(texts=wanted, timeout=timeout, stage="embed"))
        if not isinstance(found, Vectors):
            return self._line.no_answer(found)
        if len({len(vector) for vector in found.vectors}) > 1:
            return NoAnswer(reason=f"{self.name} has changed the length of its vectors", answered=True)
        rows = dict(zip(wanted, np.array(found.vectors, dtype=np.float64), strict=True))
        table = np.stack([rows.get(text, np.zeros(len(found.vectors[0]))) for text in texts])
        lengths = np.linalg.norm(table, axis=1, keepdims=True)
        return (table / np.where(lengths > 0, lengths, 1)).astype(np.float32)

    def spent(self) -> ModelSpending:
        """What was asked and paid so far."""
        return self._line.spent()

    def close(self) -> None:
        """End all connections."""
        self._line.close()
