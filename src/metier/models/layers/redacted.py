"""Redaction on both ways: `Redacted` for what goes to a model, `Cleaned` for what comes back.

`Cleaned` stands below the memo, so that the first answer and the remembered one are the same and hold no secret. A
model may write out a secret that it was shown in a form no rule knows, or make one up.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from metier.formats.strict_json import clean
from metier.models.failures import Malformed, Refused
from metier.models.model import Reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from metier.models.failures import Failure
    from metier.models.model import Message, Model, Request, Schema, Texts, Vectors


class Redacted:
    """A model that is shown only redacted text; a redactor that fails means nothing is sent."""

    def __init__(self, model: Model, redact: Callable[[str], str]) -> None:
        self.model = model
        self.identity = model.identity
        self.redact = redact

    def complete(self, request: Request) -> Reply | Failure:
        """The reply to the redacted request."""
        try:
            redacted = replace(
                request,
                system=self.redact(request.system),
                messages=tuple(map(self._message, request.messages)),
                schema=self._schema(request.schema) if request.schema else None,
                grammar=self.redact(request.grammar) if request.grammar else "",
                stop=tuple(map(self.redact, request.stop)),
            )
        except Exception as error:  # noqa: BLE001 - whatever went wrong, the text must not leave
            return _unsent(error)
        return self.model.complete(redacted)

    def embed(self, texts: Texts) -> Vectors | Failure:
        """The vectors of the redacted texts."""
        try:
            redacted = replace(texts, texts=tuple(self.redact(text) for text in texts.texts))
        except Exception as error:  # noqa: BLE001 - as above
            return _unsent(error)
        return self.model.embed(redacted)

    def _message(self, message: Message) -> Message:
        text = self.redact(message.text)
        return message if text == message.text else replace(message, text=text)

    def _schema(self, schema: Schema) -> Schema:
        shape = _walked(json.loads(schema.json), self.redact)
        return replace(schema, json=json.dumps(shape, sort_keys=True, ensure_ascii=False))


class Cleaned:
    """A model whose replies hold no secret and no character that a store cannot keep."""

    def __init__(self, model: Model, redact: Callable[[str], str]) -> None:
        self.model = model
        self.identity = model.identity
        self.redact = redact

    def complete(self, request: Request) -> Reply | Failure:
        """The reply, redacted; one that cannot be, or is no JSON any more afterwards, is none."""
        reply = self.model.complete(request)
        if not isinstance(reply, Reply):
            return reply
        text = clean(reply.text)
        try:
            plain = self.redact(text)
        except Exception as error:  # noqa: BLE001 - whatever went wrong, the text must not be kept
            return _unusable(reply, f"the redactor failed on the answer ({type(error).__name__})")
        if plain != text and _is_json(text) and not _is_json(plain):
            return _unusable(reply, "the answer holds a secret that cannot be taken out of it")
        name = clean(reply.model)
        same = plain == reply.text and name == reply.model
        return reply if same else replace(reply, text=plain, model=name)

    def embed(self, texts: Texts) -> Vectors | Failure:
        """Numbers hold no secret."""
        return self.model.embed(texts)


def _walked(node: object, redact: Callable[[str], str]) -> object:
    """A JSON value with its texts redacted one by one, so that it stays JSON."""
    if isinstance(node, str):
        return redact(node)
    if isinstance(node, list):
        return [_walked(one, redact) for one in cast("list[object]", node)]
    if isinstance(node, dict):
        return {key: _walked(value, redact) for key, value in cast("dict[str, object]", node).items()}
    return node


def _unsent(error: Exception) -> Refused:
    return Refused(reason=f"the redactor failed ({type(error).__name__}), so nothing was sent")


def _unusable(reply: Reply, reason: str) -> Malformed:
    return Malformed(reason=reason, billed=True, tokens=reply.tokens)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
