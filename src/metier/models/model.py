"""The seam to every model: a request in, a reply or a failure with its reason out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from decimal import Decimal

    from metier.models.failures import Failure
    from metier.types import Tokens

Role = Literal["user", "assistant"]
Finish = Literal["stop", "length", "other"]
Vector = tuple[float, ...]
"""Numbers that float32 can hold exactly, so that what comes from the memo equals what came from the server."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One turn of the conversation shown to a model."""

    text: str
    role: Role = "user"


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """The shape an answer must have, as JSON Schema."""

    name: str
    json: str
    """Canonical JSON text: the same shape is the same text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Everything that determines a model's reply, and the time it may take."""

    messages: tuple[Message, ...]
    system: str = ""
    temperature: float = 0.0
    max_tokens: int = 2048
    """The reply is cut here; it also bounds what the call can cost."""
    schema: Schema | None = None
    sample: int = 0
    """Another number asks for another reply to the same words."""
    grammar: str = ""
    """GBNF that the reply must fit; raw completions alone know it."""
    stop: tuple[str, ...] = ()
    """Texts before which the reply ends; likewise."""
    thinking: bool | None = None
    """Whether the model may think before it answers; None: its own habit, as for one that has no such switch."""
    timeout: float = 60.0
    """Seconds in all, retries and repair included; no part of what determines the reply."""
    stage: str = ""
    """What the call is for, such as `judge`; goes into the record."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a model answered."""

    text: str
    model: str = ""
    """The name the server gave for what answered."""
    tokens: Tokens | None = None
    """None: the server did not say."""
    finish: Finish = "stop"
    """`length`: cut off at `max_tokens`."""
    cost_usd: Decimal | None = None
    """What it cost, where whoever answered says so; None: its tokens at the model's price."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """Texts to embed, and the time it may take."""

    texts: tuple[str, ...]
    timeout: float = 60.0
    stage: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Vectors:
    """One vector per text, in the order asked."""

    vectors: tuple[Vector, ...]
    model: str = ""
    tokens: Tokens | None = None


class Model(Protocol):
    """Something that completes requests and embeds texts; it never raises for what a server does."""

    @property
    def identity(self) -> str:
        """What answers, as far as it determines replies: protocol, address and model name. Holds no secret."""
        ...

    def complete(self, request: Request) -> Reply | Failure:
        """The reply, or why there is none."""
        ...

    def embed(self, texts: Texts) -> Vectors | Failure:
        """A vector for each text, or why there is none."""
        ...
