"""The way in for batches: bounded, stored together in one transaction, answered only after its commit."""

from __future__ import annotations

import queue
import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from metier.errors import BusyError, MetierError
from metier.runs.record import store_records
from metier.store.tables.server import trace_spans

if TYPE_CHECKING:
    from metier.context.context import Context
    from metier.server.metrics import Metrics
    from metier.store.tables.server.trace_spans import KeptSpan
    from metier.types import Delivery, Record

WAITING = 64
"""Batches that wait to be stored."""
ROOM = 64 * 1024 * 1024
"""Bytes of all batches that are being read or wait."""
TOGETHER = 1000
"""Runs and spans that one transaction stores, unless one batch alone has more."""
STOP = 20.0
"""Seconds for what waits when the server ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """What one request brings: checked, redacted, ready to be stored."""

    records: tuple[Record, ...] = ()
    spans: tuple[KeptSpan, ...] = ()
    stored: Future[list[Delivery]] = field(default_factory=Future[list["Delivery"]], compare=False)
    """Holds what became of the records once they are committed."""

    @property
    def size(self) -> int:
        """Rows of it."""
        return len(self.records) + len(self.spans)


class FullError(BusyError):
    """There is no room for another batch now."""


class Intake:
    """One thread that stores batches, as many as wait at once, each wholly or not at all."""

    def __init__(self, ctx: Context, metrics: Metrics, *, waiting: int = WAITING, room: int = ROOM) -> None:
        self._ctx = ctx
        self._metrics = metrics
        self._queue: queue.Queue[Batch | None] = queue.Queue(waiting)
        self._room = room
        self._held = 0
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._work, name="intake", daemon=True)
        metrics.gauge("metier_waiting_batches", self._queue.qsize)
        metrics.gauge("metier_held_bytes", lambda: self._held)

    def start(self) -> None:
        """Begin to store."""
        self._thread.start()

    def close(self) -> None:
        """Store what waits, then end."""
        if self._thread.is_alive():
            self._queue.put(None, timeout=STOP)
            self._thread.join(STOP)

    def hold(self, size: int) -> None:
        """Take room for bytes of a batch; there is none: FullError."""
        with self._lock:
            if self._held + size > self._room:
                raise FullError("Too much is waiting to be stored.")
            self._held += size

    def release(self, size: int) -> None:
        """Give room back."""
        with self._lock:
            self._held -= size

    def put(self, batch: Batch) -> Future[list[Delivery]]:
        """Hand in a batch; its future is done when it is committed. No room: FullError."""
        try:
            self._queue.put_nowait(batch)
        except queue.Full:
            raise FullError("Too much is waiting to be stored.") from None
        return batch.stored

    def _work(self) -> None:
        ended = False
        while not ended:
            batches, ended = self._take()
            if batches:
                self._store(batches)

    def _take(self) -> tuple[list[Batch], bool]:
        """The next batch and all that wait behind it, up to a size; and whether it was the last."""
        found: list[Batch] = []
        size = 0
        while size < TOGETHER:
            try:
                one = self._queue.get(block=not found)
            except queue.Empty:
                break
            if one is None:
                return found, True
            found.append(one)
            size += one.size
        return found, False

    def _store(self, batches: list[Batch]) -> None:
        try:
            began = time.perf_counter()
            done = self._commit(batches)
            self._metrics.observe("metier_commit_seconds", time.perf_counter() - began)
        except MetierError as error:  # the store itself says no: all of them may try again
            for one in batches:
                one.stored.set_exception(error)
        except Exception as error:  # noqa: BLE001 - one batch must not take the others, or this thread, with it
            if len(batches) == 1:
                batches[0].stored.set_exception(error)
            else:
                for one in batches:
                    self._store([one])
        else:
            for one, deliveries in zip(batches, done, strict=True):
                one.stored.set_result(deliveries)

    def _commit(self, batches: list[Batch]) -> list[list[Delivery]]:
        with self._ctx.store.write() as transaction:
            kept = iter(store_records(transaction, [record for one in batches for record in one.records]))
            spans = [span for one in batches for span in one.spans]
            if spans:
                trace_spans.put(transaction, spans, self._ctx.now())
            return [[next(kept) for _ in one.records] for one in batches]
