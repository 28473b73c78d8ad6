"""The protocol of OpenAI's chat completions and embeddings, which most servers speak."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from pydantic import Field, ValidationError

from metier.formats.strict_json import clean
from metier.models.failures import Malformed, Refused, one_line
from metier.models.model import Finish, Reply, Vectors
from metier.models.wire.protocol import Lenient, compact_json, single, unusable
from metier.models.wire.schemas import wire_schema
from metier.models.wire.unsupported import WireDialect
from metier.types import Tokens

if TYPE_CHECKING:
    from metier.models.failures import Failure
    from metier.models.model import Request, Texts
    from metier.models.spec import ModelSpec

FINISHES: dict[str, Finish] = {"stop": "stop", "length": "length"}


class _Cached(Lenient):
    cached_tokens: int | None = Field(default=None, ge=0)


class OpenAIUsage(Lenient):
    """What a request took, in tokens."""

    prompt_tokens: int = Field(ge=0)
    completion_tokens: int = Field(default=0, ge=0)
    prompt_tokens_details: _Cached | None = None


class _Part(Lenient):
    type: str = ""
    text: str | None = None


class _Message(Lenient):
    content: str | list[_Part] | None = None
    refusal: str | None = None


class _Choice(Lenient):
    message: _Message
    finish_reason: str | None = None


class _Completion(Lenient):
    choices: list[_Choice] = Field(min_length=1)
    model: str = ""
    usage: OpenAIUsage | None = None


class _Item(Lenient):
    index: int
    embedding: list[float] = Field(min_length=1)


class _Embeddings(Lenient):
    data: list[_Item]
    model: str = ""
    usage: OpenAIUsage | None = None


class OpenAIWire:
    """Bodies of the OpenAI protocol."""

    complete_path = "/chat/completions"
    embed_path = "/embeddings"

    def __init__(self, first: WireDialect | None = None) -> None:
        self.first = first or WireDialect()

    def headers(self, key: str) -> list[tuple[str, str]]:
        """The key as a bearer token."""
        return [("authorization", f"Bearer {key}")] if key else []

    def body(self, name: str, request: Request, dialect: WireDialect) -> bytes:
        """A chat completion."""
        messages = [{"role": "system", "content": clean(request.system)}] if request.system else []
        messages += [{"role": one.role, "content": clean(one.text)} for one in request.messages]
        made: dict[str, object] = {"model": name, "messages": messages, dialect.limit_field: request.max_tokens}
        if dialect.temperature:
            made["temperature"] = request.temperature
        if request.schema and dialect.schema and (shape := wire_schema(request.schema.json)):
            wanted = {"name": request.schema.name[:64], "schema": shape, "strict": True}
            made["response_format"] = {"type": "json_schema", "json_schema": wanted}
        if request.thinking is not None and dialect.thinking:
            made |= self._thinking(on=request.thinking)
        return compact_json(made)

    def _thinking(self, *, on: bool) -> dict[str, object]:
        """The switch: OpenAI's own servers take an effort, others pass it to the model's template."""
        if self.first.limit_field == "max_completion_tokens":
            return {"reasoning_effort": "medium" if on else "minimal"}
        return {"chat_template_kwargs": {"enable_thinking": on}}

    def reply(self, body: bytes) -> Reply | Failure:
        """The first choice's text."""
        try:
            found = _Completion.model_validate_json(body)
        except ValidationError as error:
            return unusable(body, error)
        choice, tokens = found.choices[0], tokens_of(found.usage)
        if choice.message.refusal or choice.finish_reason == "content_filter":
            said = one_line(choice.message.refusal or "the provider's content filter stopped it")
            return Refused(reason=f"the model declined: {said}", billed=True)
        text = _text(choice.message.content)
        if text is None:
            return Malformed(reason="the answer holds no text", billed=True, tokens=tokens)
        finish = FINISHES.get(choice.finish_reason or "stop", "other")
        return Reply(text=text, model=found.model, tokens=tokens, finish=finish)

    def embed_body(self, name: str, texts: Texts) -> bytes:
        """Embeddings of all texts at once."""
        return compact_json({"model": name, "input": [clean(text) for text in texts.texts], "encoding_format": "float"})

    def vectors(self, body: bytes, count: int) -> Vectors | Failure:
        """The vectors, put back in the order asked."""
        try:
            found = _Embeddings.model_validate_json(body)
        except ValidationError as error:
            return unusable(body, error)
        items = sorted(found.data, key=lambda item: item.index)
        if [item.index for item in items] != list(range(count)) or len({len(item.embedding) for item in items}) > 1:
            reason = f"the server sent {len(items)} vectors for {count} texts, or of different lengths"
            return Malformed(reason=reason, billed=True, tokens=tokens_of(found.usage))
        vectors = tuple(single(item.embedding) for item in items)
        if not all(map(isfinite, (number for vector in vectors for number in vector))):
            return Malformed(reason="a vector holds what is no number", billed=True, tokens=tokens_of(found.usage))
        return Vectors(vectors=vectors, model=found.model, tokens=tokens_of(found.usage))


def _text(content: str | list[_Part] | None) -> str | None:
    if isinstance(content, list):
        return "".join(part.text or "" for part in content if part.type in ("", "text"))
    return content


def tokens_of(usage: OpenAIUsage | None) -> Tokens | None:
    """Our count of them; None where the server did not say."""
    if usage is None:
        return None
    cached = (usage.prompt_tokens_details.cached_tokens if usage.prompt_tokens_details else 0) or 0
    cached = min(cached, usage.prompt_tokens)
    return Tokens(input=usage.prompt_tokens - cached, output=usage.completion_tokens, cache_read=cached)


def wire_of(spec: ModelSpec) -> OpenAIWire:
    """The protocol; OpenAI's own servers have another name for the limit of tokens."""
    own = spec.base_url.startswith("https://api.openai.com/")
    return OpenAIWire(WireDialect(limit_field="max_completion_tokens") if own else None)
