"""A model behind HTTP: one attempt per call, in a protocol, with a key."""

from __future__ import annotations

import time
from importlib import import_module
from typing import TYPE_CHECKING, TypeVar

from metier.models.failures import FAILURES, Refused, without_secret
from metier.models.http.transport import HttpAnswer, Transport
from metier.models.spec import keys_of
from metier.models.wire.statuses import refusal
from metier.models.wire.unsupported import WireDialect, simpler

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from metier.models.failures import Failure
    from metier.models.model import Reply, Request, Texts, Vectors
    from metier.models.spec import ModelSpec
    from metier.models.wire.protocol import Wire

AGENT = ("user-agent", "metier")
FIXED = [("content-type", "application/json"), ("accept", "application/json"), ("accept-encoding", "identity"), AGENT]
"""`identity`: a compressed answer could be far larger than it looks."""
T = TypeVar("T")


class HttpModel:
    """A model that answers over HTTP; safe for many threads, one connection pool."""

    def __init__(
        self, spec: ModelSpec, environ: Mapping[str, str], clock: Callable[[], float] = time.monotonic
    ) -> None:
        key = environ.get(spec.key_variable, "").strip() if spec.key_variable else ""
        self.spec = spec
        self.clock = clock
        self._wire = _wire(spec)
        self._secrets = keys_of(spec, environ)
        self._headers = _encoded([*FIXED, *self._wire.headers(key), *_resolved(spec, environ).items()])
        self._transport = Transport(spec.base_url, environ, clock)
        self._dialect = self._wire.first

    @property
    def identity(self) -> str:
        """Protocol, address and name."""
        return self.spec.identity

    def complete(self, request: Request) -> Reply | Failure:
        """One reply; what the server does not understand of the protocol is left out and remembered."""
        deadline = self.clock() + request.timeout
        dialect: WireDialect | None = self._dialect
        tried: list[WireDialect] = []
        result: Reply | Failure = Refused(reason="nothing was asked")
        while dialect is not None and dialect not in tried:
            tried.append(dialect)
            body = self._wire.body(self.spec.name, request, dialect)
            result = self._exchange(self._wire.complete_path, body, deadline, self._wire.reply)
            dialect = simpler(dialect, request, result) if isinstance(result, Refused) else None
        if not isinstance(result, Refused):
            self._dialect = tried[-1]
        return result

    def embed(self, texts: Texts) -> Vectors | Failure:
        """Vectors for all texts in one exchange."""
        if not self._wire.embed_path:
            return Refused(reason=f"{self.spec.provider} offers no embeddings; choose another model for them")
        deadline = self.clock() + texts.timeout
        body = self._wire.embed_body(self.spec.name, texts)
        count = len(texts.texts)
        return self._exchange(self._wire.embed_path, body, deadline, lambda raw: self._wire.vectors(raw, count))

    def close(self) -> None:
        """End all connections; calls under way in other threads end as refused."""
        self._transport.close()

    def __enter__(self) -> HttpModel:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"HttpModel({self.identity!r})"

    def _exchange(self, path: str, body: bytes, deadline: float, read: Callable[[bytes], T | Failure]) -> T | Failure:
        answer = self._transport.post(path, self._headers, body, deadline)
        if not isinstance(answer, HttpAnswer):
            return self._clean(answer)
        if not 200 <= answer.status < 300:
            return self._clean(refusal(answer))
        result = read(answer.body)
        return self._clean(result) if isinstance(result, FAILURES) else result

    def _clean(self, failure: Failure) -> Failure:
        for secret in self._secrets:
            failure = without_secret(failure, secret)
        return failure


def _wire(spec: ModelSpec) -> Wire:
    """The protocol's module, which is named like it, makes its wire."""
    return import_module(f"metier.models.wire.{spec.protocol}").wire_of(spec)


def _resolved(spec: ModelSpec, environ: Mapping[str, str]) -> dict[str, str]:
    """The further headers, with variables read."""
    return {
        name: environ.get(value[1:], "").strip() if value.startswith("$") else value for name, value in spec.headers
    }


def _encoded(headers: list[tuple[str, str]]) -> list[tuple[bytes, bytes]]:
    return [(name.encode("ascii"), value.encode("latin-1", "replace")) for name, value in headers if value]
