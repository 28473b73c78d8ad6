"""The workspace's way to a model: the configured one with every layer around it, as learning asks it."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeVar

from pydantic import BaseModel

from metier import config
from metier.context.model_spending import StoreCalls, StoreLedger, StoreMemo
from metier.models.ask import Answer, ask
from metier.models.build import UNSET, NoModel, build, model_settings
from metier.models.failures import Malformed, Refused, one_line
from metier.models.layers.stack import Layers, build_stack
from metier.models.model import Message, Request, Texts, Vectors
from metier.models.price import price_of
from metier.models.questions import NoAnswer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from decimal import Decimal
    from pathlib import Path
    from typing import Self

    import numpy as np
    from numpy.typing import NDArray

    from metier.config import Config, Settings
    from metier.context.context import Context
    from metier.models.failures import Failure
    from metier.models.http.client import HttpModel
    from metier.models.ledger import Limits
    from metier.models.model import Model
    from metier.models.pydantic_ai import ForeignProvider
    from metier.models.questions import Question
    from metier.models.spec import ModelSpec

T = TypeVar("T", bound=BaseModel)
Setting = Literal["model", "embed_model"]
OTHER_STAGES = 60.0
"""Seconds for a question whose stage has no setting."""
UNFIT = (400, 413, 422)
"""HTTP statuses that speak of the question itself, not of who asks."""
BUILT_IN = NoModel(
    reason="No model for embeddings is set: the built-in one is used.", fix='Set one: embed_model = "openai:NAME".'
)


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

    def __init__(self, ctx: Context, bare: HttpModel | ForeignProvider, spec: ModelSpec, limits: Limits) -> None:
        self._bare = bare
        self._memo = StoreMemo(ctx)
        self._ledger = StoreLedger(ctx)
        self._redact = ctx.redact
        self.name = f"{spec.provider}:{spec.name}"
        self.model: Model = build_stack(
            bare,
            Layers(
                redact=ctx.redact,
                memo=self._memo,
                ledger=self._ledger,
                limits=limits,
                price=price_of(spec, ctx.clock()),
                sink=StoreCalls(ctx),
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


def asker_of(
    ctx: Context, environ: Mapping[str, str] | None = None, *, within: float | None = None
) -> ModelAsker | NoModel:
    """Who answers this workspace's questions, or why nobody does; `within`: seconds for all questions together."""
    line = _line(ctx, os.environ if environ is None else environ, "model")
    return line if isinstance(line, NoModel) else ModelAsker(line, limits_of(ctx.config), within)


def embedder_of(ctx: Context, environ: Mapping[str, str] | None = None) -> RemoteEmbedder | NoModel:
    """The model that turns this workspace's texts into vectors, or why it is the built-in one."""
    line = _line(ctx, os.environ if environ is None else environ, "embed_model")
    return line if isinstance(line, NoModel) else RemoteEmbedder(line)


def refuse_strange_address(settings: Settings, state: Path, name: Setting, spec: ModelSpec | None) -> NoModel | None:
    """Why a model is not asked whose address stands in the workspace's own file; None: it does not."""
    own = str(state / config.FILE)
    if spec is None or spec.is_own_address or settings.sources.get(name) != own:
        return None
    return NoModel(
        reason=f"{own} names the address of a model: a folder from elsewhere could bring that file, and get your runs.",
        fix=f"Set {config.variable(name)}, or {name} in your own settings (~/.config/metier/metier.toml).",
    )


def _line(ctx: Context, environ: Mapping[str, str], name: Setting) -> ModelLine | NoModel:
    found = model_settings(ctx.config.flat())
    spec = found.model if name == "model" else found.embedder
    if spec is None:
        return UNSET if name == "model" else BUILT_IN
    if strange := refuse_strange_address(ctx.settings, ctx.state, name, spec):
        return strange
    bare = build(spec, environ, setting="model_key" if name == "model" else "embed_key")
    return bare if isinstance(bare, NoModel) else ModelLine(ctx, bare, spec, found.limits)


def limits_of(settings: Config) -> dict[str, float]:
    """Seconds that a question of each stage may take."""
    return {
        "judge": settings.learning.judge_timeout,
        "cluster": settings.learning.cluster_timeout,
        "draft": settings.learning.draft_timeout,
    }
