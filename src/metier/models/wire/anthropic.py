"""The protocol of Anthropic's messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field, ValidationError

from metier.formats.strict_json import clean
from metier.models.failures import Malformed, Refused
from metier.models.model import Finish, Reply
from metier.models.wire.protocol import Lenient, compact_json, unusable
from metier.models.wire.schemas import wire_schema
from metier.models.wire.unsupported import WireDialect
from metier.types import Tokens

if TYPE_CHECKING:
    from metier.models.failures import Failure
    from metier.models.model import Request, Texts, Vectors
    from metier.models.spec import ModelSpec

VERSION = "2023-06-01"
THOUGHTS = 1024
"""Tokens a model may think, the fewest that can be asked for."""
FINISHES: dict[str, Finish] = {"end_turn": "stop", "stop_sequence": "stop", "max_tokens": "length"}


class _Usage(Lenient):
    input_tokens: int = Field(ge=0)
    output_tokens: int = Field(ge=0)
    cache_read_input_tokens: int | None = Field(default=None, ge=0)
    cache_creation_input_tokens: int | None = Field(default=None, ge=0)


class _Block(Lenient):
    type: str
    text: str | None = None


class _Answer(Lenient):
    content: list[_Block]
    model: str = ""
    stop_reason: str | None = None
    usage: _Usage | None = None


class AnthropicWire:
    """Bodies of the Anthropic protocol."""

    complete_path = "/v1/messages"
    embed_path = ""

    def __init__(self) -> None:
        self.first = WireDialect()

    def headers(self, key: str) -> list[tuple[str, str]]:
        """The protocol's version, and the key."""
        return [("anthropic-version", VERSION), *([("x-api-key", key)] if key else [])]

    def body(self, name: str, request: Request, dialect: WireDialect) -> bytes:
        """A message."""
        messages = [{"role": one.role, "content": clean(one.text)} for one in request.messages]
        made: dict[str, object] = {"model": name, "max_tokens": request.max_tokens, "messages": messages}
        if request.system:
            made["system"] = clean(request.system)
        if dialect.temperature:
            made["temperature"] = min(request.temperature, 1.0)
        if request.schema and dialect.schema and (shape := wire_schema(request.schema.json)):
            made["output_config"] = {"format": {"type": "json_schema", "schema": shape}}
        if request.thinking is not None and dialect.thinking:
            made |= _thinking(request)
        return compact_json(made)

    def reply(self, body: bytes) -> Reply | Failure:
        """The text blocks, joined."""
        try:
            found = _Answer.model_validate_json(body)
        except ValidationError as error:
            return unusable(body, error)
        tokens = _tokens(found.usage)
        if found.stop_reason == "refusal":
            return Refused(reason="the model declined to answer this", billed=True)
        texts = [block.text for block in found.content if block.type == "text" and block.text is not None]
        if not texts:
            return Malformed(reason="the answer holds no text", billed=True, tokens=tokens)
        finish = FINISHES.get(found.stop_reason or "end_turn", "other")
        return Reply(text="".join(texts), model=found.model, tokens=tokens, finish=finish)

    def embed_body(self, name: str, texts: Texts) -> bytes:
        """Never asked for: there is no address for it."""
        raise NotImplementedError(name, len(texts.texts))

    def vectors(self, body: bytes, count: int) -> Vectors | Failure:
        """Never asked for: there is no address for it."""
        raise NotImplementedError(len(body), count)


def _tokens(usage: _Usage | None) -> Tokens | None:
    if usage is None:
        return None
    return Tokens(
        input=usage.input_tokens,
        output=usage.output_tokens,
        cache_read=usage.cache_read_input_tokens or 0,
        cache_write=usage.cache_creation_input_tokens or 0,
    )


def _thinking(request: Request) -> dict[str, object]:
    """The switch; a model that thinks needs room for its thoughts, and takes no other temperature than 1."""
    if not request.thinking:
        return {"thinking": {"type": "disabled"}}
    room = {"thinking": {"type": "enabled", "budget_tokens": THOUGHTS}, "max_tokens": request.max_tokens + THOUGHTS}
    return {**room, "temperature": 1.0}


def wire_of(_: ModelSpec) -> AnthropicWire:
    """The protocol, for any model."""
    return AnthropicWire()
