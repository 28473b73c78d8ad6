"""The protocol of raw completions: one text goes on where another ends, held to a grammar where one is given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field, ValidationError

from metier.formats.strict_json import clean
from metier.models.model import Reply
from metier.models.wire.openai import FINISHES, OpenAIUsage, tokens_of
from metier.models.wire.protocol import Lenient, compact_json, unusable
from metier.models.wire.unsupported import WireDialect

if TYPE_CHECKING:
    from metier.models.failures import Failure
    from metier.models.model import Request, Texts, Vectors
    from metier.models.spec import ModelSpec


class _Choice(Lenient):
    text: str
    finish_reason: str | None = None


class _Completion(Lenient):
    choices: list[_Choice] = Field(min_length=1)
    model: str = ""
    usage: OpenAIUsage | None = None


class CompletionWire:
    """Bodies of `/completions`; the prompt is the system text and the messages, with nothing in between."""

    complete_path = "/completions"
    embed_path = ""

    def __init__(self) -> None:
        self.first = WireDialect()

    def headers(self, key: str) -> list[tuple[str, str]]:
        """The key as a bearer token."""
        return [("authorization", f"Bearer {key}")] if key else []

    def body(self, name: str, request: Request, dialect: WireDialect) -> bytes:
        """A completion; the sample's number is the seed."""
        prompt = clean("".join([request.system, *(one.text for one in request.messages)]))
        made: dict[str, object] = {"model": name, "prompt": prompt, "max_tokens": request.max_tokens}
        if dialect.temperature:
            made["temperature"] = request.temperature
        made["seed"] = request.sample
        if request.stop:
            made["stop"] = list(request.stop)
        if request.grammar:
            made["grammar"] = request.grammar
        return compact_json(made)

    def reply(self, body: bytes) -> Reply | Failure:
        """The first choice's text."""
        try:
            found = _Completion.model_validate_json(body)
        except ValidationError as error:
            return unusable(body, error)
        choice = found.choices[0]
        finish = FINISHES.get(choice.finish_reason or "stop", "other")
        return Reply(text=choice.text, model=found.model, tokens=tokens_of(found.usage), finish=finish)

    def embed_body(self, name: str, texts: Texts) -> bytes:
        """Never asked for: there is no address for it."""
        raise NotImplementedError(name, len(texts.texts))

    def vectors(self, body: bytes, count: int) -> Vectors | Failure:
        """Never asked for: there is no address for it."""
        raise NotImplementedError(len(body), count)


def wire_of(_: ModelSpec) -> CompletionWire:
    """The protocol, for any model."""
    return CompletionWire()
