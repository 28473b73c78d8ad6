"""Turns at a provider that all machines of a store share: leases in PostgreSQL, which end by themselves."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING
from uuid import uuid4

from metier.errors import StoreError
from metier.store.tables.fleet import provider_limits

if TYPE_CHECKING:
    from collections.abc import Callable

    from metier.context.context import Context
    from metier.store.tables.fleet.provider_limits import ProviderLimit

FRESH = 2.0
"""Seconds for which a limit is taken as it was read; so long nobody asks the store where there is none."""
LONGEST = 5.0
"""Seconds between two tries at most."""
LONGEST_PAUSE = 600.0
"""Seconds that a provider's wish counts at most."""
FREE = "free"
"""The turn of a call that nothing limits."""


class StoreTurns:
    """Turns at one provider; of each process one thread at a time asks the store, the others wait behind it."""

    def __init__(
        self,
        ctx: Context,
        provider: str,
        sleep: Callable[[float], object] = time.sleep,
        is_over: Callable[[], bool] = lambda: False,
    ) -> None:
        self._ctx, self._provider = ctx, provider
        self._sleep, self._is_over = sleep, is_over
        self._known: tuple[float, ProviderLimit | None] = (0.0, None)
        self._queue = threading.Lock()

    def begin(self, seconds: float) -> str | None:
        """Wait for a turn; None: everything ends."""
        with self._queue:
            while not self._is_over():
                limit = self._limit()
                if limit is None or not limit.is_set:
                    return FREE
                lease = uuid4().hex
                wait = self._try(limit, lease, seconds)
                if not wait:
                    return lease
                self._sleep(min(wait, LONGEST))
        return None

    def end(self, turn: str) -> None:
        """The turn is over. If that cannot be written, it ends by itself."""
        if turn != FREE:
            with suppress(StoreError), self._ctx.store.write(synced=False) as transaction:
                provider_limits.end_lease(transaction, turn)

    def pause(self, seconds: float) -> None:
        """The provider wants no calls for so long, from anybody."""
        self._known = (0.0, None)
        with suppress(StoreError), self._ctx.store.write(synced=False) as transaction:
            provider_limits.pause(transaction, self._provider, min(seconds, LONGEST_PAUSE))

    def _limit(self) -> ProviderLimit | None:
        """The provider's limit, as it was lately."""
        read, limit = self._known
        if not read or time.monotonic() - read > FRESH:
            with self._ctx.store.glance() as transaction:
                found = {one.provider: one for one in provider_limits.list_all(transaction)}
            limit = found.get(self._provider)
            self._known = (time.monotonic(), limit)
        return limit

    def _try(self, limit: ProviderLimit, lease: str, seconds: float) -> float:
        """0 if the lease was got, else after how long it is worth another try."""
        if limit.paused > 0:
            self._known = (0.0, None)
            return limit.paused
        with self._ctx.store.write(synced=False) as transaction:
            return provider_limits.try_lease(transaction, limit, lease, seconds)


def turns_of(
    ctx: Context,
    provider: str,
    sleep: Callable[[float], object] = time.sleep,
    is_over: Callable[[], bool] = lambda: False,
) -> StoreTurns | None:
    """The turns at a provider where machines share a store; alone on a machine there are none."""
    return StoreTurns(ctx, provider, sleep, is_over) if ctx.config.store else None
