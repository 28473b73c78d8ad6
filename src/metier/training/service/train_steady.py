"""A model that must answer: when it looks down, the training stops and can go on later, instead of going on without."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from metier.models.failures import FAILURES, Malformed, OverBudget, RateLimited, Refused, TimedOut, Unreachable
from metier.models.http.transport import CLOSED

if TYPE_CHECKING:
    from metier.models.failures import Failure
    from metier.models.model import Model, Reply, Request, Texts, Vectors
    from metier.training.service.budget import Closing

AT_FIRST, IN_A_ROW = 1, 3
"""Calls without an answer after which it counts as down: before it ever answered, and later."""
DENIED = (401, 402, 403, 404, 407)
"""Statuses that no other question would change: the key, the bill, the name."""


class Steady:
    """Passes calls on, and closes the training when too many in a row came to nothing."""

    def __init__(self, model: Model, closing: Closing) -> None:
        self.model = model
        self._closing = closing
        self._worked = False
        self._lost = 0
        self._lock = threading.Lock()

    @property
    def identity(self) -> str:
        """That of the model asked."""
        return self.model.identity

    def complete(self, request: Request) -> Reply | Failure:
        """The reply; a failure that ends the training is OverBudget: nothing more is asked."""
        result = self.model.complete(request)
        with self._lock:
            self._worked = self._worked or not isinstance(result, FAILURES)
            down = result if isinstance(result, FAILURES) and self._is_down(result) else None
            self._lost = self._lost + 1 if down else 0
            patient = self._worked or isinstance(down, Malformed)
            over = self._lost >= (IN_A_ROW if patient else AT_FIRST)
        if down is None or not over:
            return result
        self._closing.stop(f"{self.identity} does not answer ({down.reason})")
        return OverBudget(reason=self._closing.why())

    def _is_down(self, failure: Failure) -> bool:
        """Whether a failure speaks of the server, not of what it was asked."""
        if isinstance(failure, Refused):
            return failure.status in DENIED and failure.reason != CLOSED.reason
        if isinstance(failure, Malformed):
            return not self._worked  # another kind of server may be behind that address
        return isinstance(failure, Unreachable | TimedOut | RateLimited)

    def embed(self, texts: Texts) -> Vectors | Failure:
        """As the model does it."""
        return self.model.embed(texts)
