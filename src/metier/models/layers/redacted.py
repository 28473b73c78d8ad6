"""Nothing leaves unredacted: every text on its way to a model passes the redactor first."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from metier.models.failures import Refused

if TYPE_CHECKING:
    from collections.abc import Callable

    from metier.models.failures import Failure
    from metier.models.model import Message, Model, Reply, Request, Schema, Texts, Vectors


class Redacted:
    """A model that is shown only redacted text; a redactor that fails means nothing is sent."""

    def __init__(self, model: Model, redact: Callable[[str], str]) -> None:
        self.model = model
        self.identity = model.identity
        self.redact = redact

    def complete(self, request: Request) -> Reply | Failure:
        """The reply to the redacted request."""
        try:
            clean = replace(
                request,
                system=self.redact(request.system),
                messages=tuple(map(self._message, request.messages)),
                schema=self._schema(request.schema) if request.schema else None,
                grammar=self.redact(request.grammar) if request.grammar else "",
                stop=tuple(map(self.redact, request.stop)),
            )
        except Exception as error:  # noqa: BLE001 - whatever went wrong, the text must not leave
            return _unsent(error)
        return self.model.complete(clean)

    def embed(self, texts: Texts) -> Vectors | Failure:
        """The vectors of the redacted texts."""
        try:
            clean = replace(texts, texts=tuple(self.redact(text) for text in texts.texts))
        except Exception as error:  # noqa: BLE001 - as above
            return _unsent(error)
        return self.model.embed(clean)

    def _message(self, message: Message) -> Message:
        text = self.redact(message.text)
        return message if text == message.text else replace(message, text=text)

    def _schema(self, schema: Schema) -> Schema:
        shape = _walked(json.loads(schema.json), self.redact)
        return replace(schema, json=json.dumps(shape, sort_keys=True, ensure_ascii=False))


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
