"""What a protocol is to the client: bodies out, bodies in, no network."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Protocol

from pydantic import BaseModel, ConfigDict, ValidationError

from metier.models.failures import Malformed, one_line
from metier.models.memo_keys import compact

if TYPE_CHECKING:
    from collections.abc import Iterable

    from metier.models.failures import Failure
    from metier.models.model import Reply, Request, Texts, Vector, Vectors
    from metier.models.wire.unsupported import WireDialect


class Wire(Protocol):
    """One protocol's way to say things."""

    first: WireDialect
    """What to try before a server has complained."""
    complete_path: str
    embed_path: str
    """Empty: this protocol has no embeddings."""

    def headers(self, key: str) -> list[tuple[str, str]]:
        """The headers of every request; `key` may be empty."""
        ...

    def body(self, name: str, request: Request, dialect: WireDialect) -> bytes:
        """What to send for a completion."""
        ...

    def reply(self, body: bytes) -> Reply | Failure:
        """What came back for a completion."""
        ...

    def embed_body(self, name: str, texts: Texts) -> bytes:
        """What to send for embeddings."""
        ...

    def vectors(self, body: bytes, count: int) -> Vectors | Failure:
        """What came back for embeddings of `count` texts."""
        ...


class Lenient(BaseModel):
    """A part of a server's answer: fields we do not know are none of our business."""

    model_config = ConfigDict(extra="ignore", protected_namespaces=())


def compact_json(value: object) -> bytes:
    """Compact JSON."""
    return compact(value).encode()


def unusable(body: bytes, error: ValidationError) -> Malformed:
    """The failure for an answer that is not of the protocol's form."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    where = ".".join(map(str, first["loc"]))
    text = one_line(body[:2_000].decode("utf-8", "replace"))
    reason = f"the server's answer is not of the protocol's form: {where + ': ' if where else ''}{first['msg']}"
    return Malformed(reason=one_line(reason), text=text, billed=True)


def single(values: Iterable[float]) -> Vector:
    """A vector in single precision, as the memo keeps it."""
    return tuple(array("f", values))
