"""Nothing is kept or read unredacted: a reply passes the redactor before the memo and the caller see it.

A model may write out a secret that it was shown in a form no rule knows, or make one up. Redacting above the memo would
keep it; redacting only what is kept would make the second answer differ from the first.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from metier.formats.strict_json import clean
from metier.models.failures import Malformed
from metier.models.model import Reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from metier.models.failures import Failure
    from metier.models.model import Model, Request, Texts, Vectors


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


def _unusable(reply: Reply, reason: str) -> Malformed:
    return Malformed(reason=reason, billed=True, tokens=reply.tokens)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
