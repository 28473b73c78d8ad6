"""What changed while somebody looks: one thread looks at the store, every open page hears of it."""

from __future__ import annotations

import asyncio
import json
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

from starlette.responses import StreamingResponse

from metier.errors import MetierError
from metier.store.tables.pulse import pulse

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping

    from starlette.requests import Request
    from starlette.responses import Response

    from metier.workspace import Workspace

PACE = 1.0
"""Seconds between two looks."""
LISTEN = 0.2
"""Seconds until an open page hears of a change."""
BEAT = 15.0
"""Seconds between signs of life on a quiet stream."""
TOPICS: Mapping[str, tuple[str, ...]] = {
    "review": ("lessons", "drafts", "audit"),
    "lessons": ("lessons", "audit"),
    "runs": ("runs", "audit"),
    "skills": ("audit", "drafts", "profiles"),
    "training": ("events", "trainings"),
    "proof": ("audit", "runs", "selections"),
    "audit": ("audit", "calls"),
}
"""What pages listen to, and the tables behind it."""


class Live:
    """The stamps of all topics: a stamp is another one after a change."""

    def __init__(self, ws: Workspace, pace: float = PACE) -> None:
        self._ws = ws
        self._pace = pace
        self._figures = 0
        self._tables: dict[str, str] = {}
        self._wake = threading.Event()
        self._closed = False
        self._thread = threading.Thread(target=self._keep_looking, name="live", daemon=True)

    @property
    def closed(self) -> bool:
        """Whether nobody looks any more."""
        return self._closed

    def start(self) -> None:
        """Look once, then again and again."""
        self.look()
        self._thread.start()

    def close(self) -> None:
        """Stop looking."""
        self._closed = True
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join(5)

    def figures_changed(self) -> None:
        """A figure that pages wait for is there."""
        self._figures += 1

    def stamps(self) -> dict[str, str]:
        """The stamp of each topic, as of the last look."""
        tables = self._tables
        found = {name: "/".join(tables.get(one, "") for one in parts) for name, parts in TOPICS.items()}
        return found | {"figures": str(self._figures)}

    def look(self) -> None:
        """Read the numbers; a store that is busy keeps the last ones."""
        with suppress(MetierError), self._ws.context.store.read() as transaction:
            self._tables = pulse(transaction)

    def _keep_looking(self) -> None:
        while not self._closed:
            self._take_in()
            self.look()
            self._wake.wait(self._pace)
            self._wake.clear()

    def _take_in(self) -> None:
        """Take in what hooks spooled, and make it findable, so that open pages show it."""
        steps: tuple[Callable[[], object], ...] = (
            self._ws.ingest,
            self._ws.read_waiting,
            lambda: list(self._ws.index()),
        )
        for step in steps:
            with suppress(MetierError):
                step()


async def events(request: Request) -> Response:
    """The stream of stamps: all of them at once, then again after each change."""
    live: Live = request.app.state.dashboard.live

    async def lines() -> AsyncIterator[str]:
        sent: dict[str, str] = {}
        quiet = 0.0
        while not live.closed:
            now = live.stamps()
            if now != sent:
                sent, quiet = now, 0.0
                yield f"event: stamps\ndata: {json.dumps(now)}\n\n"
            elif quiet >= BEAT:
                quiet = 0.0
                yield ": still here\n\n"
            await asyncio.sleep(LISTEN)
            quiet += LISTEN

    return StreamingResponse(lines(), media_type="text/event-stream")
