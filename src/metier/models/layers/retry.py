"""Ask again what may work the next time: with growing pauses, and never sooner than the server asks."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING, TypeVar

from metier.models.failures import RateLimited, TimedOut, Unreachable
from metier.models.memo_keys import prompt_hash, vector_key
from metier.models.model import Reply, Vectors

if TYPE_CHECKING:
    from collections.abc import Callable

    from metier.models.failures import Failure
    from metier.models.model import Model, Request, Texts

R = TypeVar("R", Reply, Vectors)


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """How often to ask again, and how long to wait in between."""

    attempts: int = 4
    first_pause: float = 0.5
    longest_pause: float = 20.0
    seed: int = 0

    def pause(self, attempt: int, what: str) -> float:
        """Seconds before the next attempt: doubling, spread by half, the same for the same seed and question."""
        whole = min(self.longest_pause, self.first_pause * 2**attempt)
        return whole * (0.5 + 0.5 * Random(f"{self.seed} {attempt} {what}").random())  # noqa: S311


class Retrying:
    """A model that is asked again after passing failures, all within the request's time limit.

    When a server asks one caller to wait, all callers wait.
    """

    def __init__(
        self,
        model: Model,
        patience: RetryPolicy | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self.model = model
        self.identity = model.identity
        self.patience = patience or RetryPolicy()
        self.clock = clock
        self.sleep = sleep
        self._free = 0.0
        self._lock = threading.Lock()

    def complete(self, request: Request) -> Reply | Failure:
        """The reply, after as many attempts as patience allows."""
        ask = self.model.complete
        return self._again(
            lambda left: ask(replace(request, timeout=left)), request.timeout, lambda: prompt_hash(request)
        )

    def embed(self, texts: Texts) -> Vectors | Failure:
        """The vectors, likewise."""
        ask = self.model.embed
        first = texts.texts[0] if texts.texts else ""
        return self._again(lambda left: ask(replace(texts, timeout=left)), texts.timeout, lambda: vector_key("", first))

    def _again(self, call: Callable[[float], R | Failure], timeout: float, what: Callable[[], str]) -> R | Failure:
        deadline = self.clock() + timeout
        result: R | Failure = TimedOut(reason="no time was given")
        for attempt in range(self.patience.attempts):
            if not self._wait_until_free(deadline):
                return result if attempt else RateLimited(reason="the server asked to wait", after=self._wait())
            result = call(max(0.0, deadline - self.clock()))
            if not isinstance(result, RateLimited | Unreachable):
                return result
            if attempt + 1 < self.patience.attempts and not self._pause(result, attempt, what(), deadline):
                return result
        return result

    def _pause(self, failure: RateLimited | Unreachable, attempt: int, what: str, deadline: float) -> bool:
        """Sleep before the next attempt; False if there is no time for another."""
        pause = self.patience.pause(attempt, what)
        if isinstance(failure, RateLimited) and failure.after is not None:
            pause = max(pause, failure.after)
            with self._lock:
                self._free = max(self._free, self.clock() + failure.after)
        if self.clock() + pause >= deadline:
            return False
        self.sleep(pause)
        return True

    def _wait_until_free(self, deadline: float) -> bool:
        wait = self._wait()
        if wait <= 0:
            return True
        if self.clock() + wait >= deadline:
            return False
        self.sleep(wait)
        return True

    def _wait(self) -> float:
        with self._lock:
            return self._free - self.clock()
