"""A model that fails the same way again: what was decided without an answer is decided so after a kill, too."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from metier.models.failures import FAILURES, OverBudget, Refused
from metier.models.http.transport import CLOSED
from metier.models.memo_keys import reply_key

if TYPE_CHECKING:
    from metier.models.failures import Failure
    from metier.models.layers.memo import MemoStore
    from metier.models.model import Model, Reply, Request, Texts, Vectors


class ReplayFailures:
    """Remembers failures for one piece of work; they count once `keep` says that what followed from them is done."""

    def __init__(self, model: Model, store: MemoStore, scope: str) -> None:
        self.model = model
        self.store = store
        self.scope = scope
        self._failed: dict[str, str] = {}
        self._lock = threading.Lock()

    @property
    def identity(self) -> str:
        """That of the model asked."""
        return self.model.identity

    def complete(self, request: Request) -> Reply | Failure:
        """The reply, or the failure that was there before."""
        key = f"{self.scope}:failed:{reply_key(self.identity, request)}"
        kept = self.store.get(key)
        if kept is not None:
            return Refused(reason=kept.decode("utf-8", "replace"))
        result = self.model.complete(request)
        if isinstance(result, FAILURES) and not isinstance(result, OverBudget) and result.reason != CLOSED.reason:
            with self._lock:
                self._failed[key] = result.reason
        return result

    def embed(self, texts: Texts) -> Vectors | Failure:
        """As the model does it."""
        return self.model.embed(texts)

    def keep(self) -> None:
        """Keep the failures so far for good."""
        with self._lock:
            failed, self._failed = self._failed, {}
        for key, reason in failed.items():
            self.store.put(key, reason.encode())
