"""Nothing is paid for twice: replies are kept under the hash of what determined them."""

from __future__ import annotations

import json
import threading
import time
from array import array
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, Protocol

from pydantic import TypeAdapter, ValidationError

from metier.models.failures import TimedOut
from metier.models.memo_keys import reply_key, vector_key
from metier.models.model import Reply, Vectors
from metier.types import Tokens

if TYPE_CHECKING:
    from collections.abc import Callable

    from metier.models.failures import Failure
    from metier.models.model import Model, Request, Texts, Vector

REPLY = TypeAdapter(tuple[Literal[1], str, str, tuple[int, int, int, int] | None, Literal["stop", "length", "other"]])
"""Version, text, model, tokens, finish."""
BATCH = 256
"""Texts embedded in one exchange."""


class MemoStore(Protocol):
    """Where replies are kept; the first value under a key stays."""

    def get(self, key: str) -> bytes | None:
        """The value under a key, if it is there."""
        ...

    def put(self, key: str, value: bytes) -> None:
        """Keep a value."""
        ...


class MemoryStore:
    """A memo that lasts as long as the process; for tests and for work that keeps nothing."""

    def __init__(self) -> None:
        self.values: dict[str, bytes] = {}

    def get(self, key: str) -> bytes | None:
        """The value under a key, if it is there."""
        return self.values.get(key)

    def put(self, key: str, value: bytes) -> None:
        """Keep a value; the first one stays."""
        self.values.setdefault(key, value)


@dataclass(slots=True)
class _Flight:
    """A call under way that others wait for."""

    done: threading.Lock = field(default_factory=threading.Lock)
    """Held while it is under way."""
    result: Reply | Failure | None = None

    def landed(self, seconds: float) -> bool:
        """Whether it is done within so many seconds."""
        found = self.done.acquire(timeout=seconds)
        if found:
            self.done.release()
        return found


class Memo:
    """A model that asks only what it has no answer to; equal calls at the same time are one call."""

    def __init__(self, model: Model, store: MemoStore, clock: Callable[[], float] = time.monotonic) -> None:
        self.model = model
        self.identity = model.identity
        self.store = store
        self.clock = clock
        self._flights: dict[str, _Flight] = {}
        self._lock = threading.Lock()

    def complete(self, request: Request) -> Reply | Failure:
        """The kept reply, or a new one."""
        key = reply_key(self.identity, request)
        deadline = self.clock() + request.timeout
        while True:
            kept = _reply(self.store.get(key))
            if kept is not None:
                return kept
            with self._lock:
                ours = key not in self._flights
                flight = self._flights.setdefault(key, _Flight())
                if ours:
                    flight.done.acquire()
            if ours:
                return self._fly(key, flight, request)
            if not flight.landed(max(0.0, deadline - self.clock())):
                return TimedOut(reason="the same question, asked by another thread, has no answer yet")
            left = deadline - self.clock()
            if flight.result is not None and (left <= 0 or not isinstance(flight.result, TimedOut)):
                return flight.result
            request = replace(request, timeout=max(left, 0.0))  # the other had less time than we have: ask ourselves

    def _fly(self, key: str, flight: _Flight, request: Request) -> Reply | Failure:
        try:
            kept = _reply(self.store.get(key))  # somebody may have landed between our look and our start
            flight.result = result = kept or self.model.complete(request)
            if kept is None and isinstance(result, Reply):
                self.store.put(key, _bytes(result))
            return result
        finally:
            with self._lock:
                del self._flights[key]
            flight.done.release()

    def embed(self, texts: Texts) -> Vectors | Failure:
        """Kept vectors, and new ones for the texts that have none, a batch at a time and each batch kept at once."""
        wanted = tuple(dict.fromkeys(texts.texts))
        found = {text: vector for text in wanted if (vector := self._vector(text)) is not None}
        missing = [text for text in wanted if text not in found]
        deadline = self.clock() + texts.timeout
        model = ""
        tokens: Tokens | None = Tokens()
        for start in range(0, len(missing), BATCH):
            batch = tuple(missing[start : start + BATCH])
            asked = self.model.embed(replace(texts, texts=batch, timeout=max(0.0, deadline - self.clock())))
            if not isinstance(asked, Vectors):
                return asked
            for text, vector in zip(batch, asked.vectors, strict=True):
                found[text] = vector
                self.store.put(vector_key(self.identity, text), array("f", vector).tobytes())
            model, tokens = asked.model, _sum(tokens, asked.tokens)
        return Vectors(vectors=tuple(found[text] for text in texts.texts), model=model, tokens=tokens)

    def _vector(self, text: str) -> Vector | None:
        kept = self.store.get(vector_key(self.identity, text))
        return tuple(array("f", kept)) if kept and len(kept) % 4 == 0 else None


def _sum(so_far: Tokens | None, more: Tokens | None) -> Tokens | None:
    """Tokens of embeddings; unknown as soon as one part is."""
    return None if so_far is None or more is None else replace(so_far, input=so_far.input + more.input)


def _bytes(reply: Reply) -> bytes:
    tokens = reply.tokens
    counts = (tokens.input, tokens.output, tokens.cache_read, tokens.cache_write) if tokens else None
    return json.dumps((1, reply.text, reply.model, counts, reply.finish)).encode()


def _reply(kept: bytes | None) -> Reply | None:
    """The reply in kept bytes; damaged ones are as good as none."""
    if kept is None:
        return None
    try:
        _, text, model, counts, finish = REPLY.validate_json(kept)
    except ValidationError:
        return None
    tokens = None
    if counts:
        tokens = Tokens(input=counts[0], output=counts[1], cache_read=counts[2], cache_write=counts[3])
    return Reply(text=text, model=model, tokens=tokens, finish=finish)
