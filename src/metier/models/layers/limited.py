"""A model that waits for its turn: others may call the same provider, from other machines too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from metier.models.failures import RateLimited
from metier.models.model import Reply, Vectors

if TYPE_CHECKING:
    from collections.abc import Callable

    from metier.models.failures import Failure
    from metier.models.model import Model, Request, Texts

R = TypeVar("R", Reply, Vectors)
SPARE = 60.0
"""Seconds beyond a call's time limit after which its turn is over, whatever became of it."""


class ProviderTurns(Protocol):
    """Who may call a provider, and when."""

    def begin(self, seconds: float) -> str | None:
        """Wait for a turn of at most so many seconds; None: there will be none, as everything ends."""
        ...

    def end(self, turn: str) -> None:
        """The turn is over."""
        ...

    def pause(self, seconds: float) -> None:
        """The provider wants no calls for so long, from anybody."""
        ...


class Limited:
    """A model whose questions each have a turn; the time before it does not count as theirs."""

    def __init__(self, model: Model, turns: ProviderTurns) -> None:
        self.model = model
        self.identity = model.identity
        self._turns = turns

    def complete(self, request: Request) -> Reply | Failure:
        """The reply, when it is its turn."""
        return self._in_turn(request.timeout, lambda: self.model.complete(request))

    def embed(self, texts: Texts) -> Vectors | Failure:
        """The vectors, likewise."""
        return self._in_turn(texts.timeout, lambda: self.model.embed(texts))

    def _in_turn(self, seconds: float, call: Callable[[], R | Failure]) -> R | Failure:
        turn = self._turns.begin(seconds + SPARE)
        if turn is None:
            return RateLimited(reason="it was stopped while it waited for its turn")
        try:
            return call()
        finally:
            self._turns.end(turn)


class TellPauses:
    """A model that tells all others when its provider asks to wait."""

    def __init__(self, model: Model, turns: ProviderTurns) -> None:
        self.model = model
        self.identity = model.identity
        self._turns = turns

    def complete(self, request: Request) -> Reply | Failure:
        """As the model does it."""
        return self._told(self.model.complete(request))

    def embed(self, texts: Texts) -> Vectors | Failure:
        """As the model does it."""
        return self._told(self.model.embed(texts))

    def _told(self, result: R | Failure) -> R | Failure:
        if isinstance(result, RateLimited) and result.after:
            self._turns.pause(result.after)
        return result
