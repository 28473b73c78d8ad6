"""Every call leaves its mark: what was asked of whom, what it took, what came of it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from metier.models.failures import FAILURES, kind
from metier.models.memo_keys import prompt_hash, vector_key

if TYPE_CHECKING:
    from collections.abc import Callable
    from decimal import Decimal

    from metier.models.failures import Failure
    from metier.models.model import Model, Reply, Request, Texts, Vectors
    from metier.models.price import Price
    from metier.types import Tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of a model; holds hashes and counts, no text of what was said."""

    stage: str
    what: Literal["complete", "embed"]
    model: str
    prompt_hash: str
    tokens: Tokens | None
    """None: the server did not say."""
    cost_usd: Decimal | None
    """None: tokens or price are unknown."""
    seconds: float
    outcome: str
    """`ok`, or the failure's word, such as `rate_limited`."""
    reason: str = ""


class Sink(Protocol):
    """Takes what calls left."""

    def add(self, call: Call) -> None:
        """Keep one; called from many threads."""
        ...


class Recorded:
    """A model whose every call goes to a sink."""

    def __init__(self, model: Model, sink: Sink, price: Price, clock: Callable[[], float] = time.monotonic) -> None:
        self.model = model
        self.identity = model.identity
        self.sink = sink
        self.price = price
        self.clock = clock

    def complete(self, request: Request) -> Reply | Failure:
        """The reply, recorded."""
        began = self.clock()
        result = self.model.complete(request)
        self._add("complete", request.stage, prompt_hash(request), began, result)
        return result

    def embed(self, texts: Texts) -> Vectors | Failure:
        """The vectors, recorded."""
        began = self.clock()
        result = self.model.embed(texts)
        self._add("embed", texts.stage, vector_key("", "\0".join(texts.texts)).removeprefix("vector:"), began, result)
        return result

    def _add(
        self,
        what: Literal["complete", "embed"],
        stage: str,
        asked: str,
        began: float,
        result: Reply | Vectors | Failure,
    ) -> None:
        tokens: Tokens | None = getattr(result, "tokens", None)
        told: Decimal | None = getattr(result, "cost_usd", None)
        failed = isinstance(result, FAILURES)
        self.sink.add(
            Call(
                stage=stage,
                what=what,
                model=self.identity,
                prompt_hash=asked,
                tokens=tokens,
                cost_usd=told if told is not None else self.price(tokens) if tokens is not None else None,
                seconds=self.clock() - began,
                outcome=kind(result) if failed else "ok",
                reason=result.reason if failed else "",
            )
        )
