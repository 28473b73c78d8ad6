"""The hash of what determined a reply: what the memo keeps it under."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from metier.models.model import Request


compact = json.JSONEncoder(separators=(",", ":")).encode
"""JSON without a space; what makes it is made once."""


def prompt_hash(request: Request) -> str:
    """The hash of everything in a request that determines the reply, whichever model answers."""
    return _hash(_parts(request))


def reply_key(identity: str, request: Request) -> str:
    """The memo's key for a reply."""
    return "reply:" + _hash([identity, *_parts(request)])


def vector_key(identity: str, text: str) -> str:
    """The memo's key for the vector of one text."""
    return "vector:" + _hash([identity, text])


def _parts(request: Request) -> list[object]:
    schema = request.schema
    held = [request.grammar, list(request.stop)] if request.grammar or request.stop else None
    return [
        request.system,
        [[message.role, message.text] for message in request.messages],
        request.temperature,
        request.max_tokens,
        [schema.name, schema.json] if schema else None,
        request.sample,
        *([held] if held else []),
        *([["thinking", request.thinking]] if request.thinking is not None else []),
    ]


def _hash(parts: list[object]) -> str:
    return hashlib.sha256(compact(parts).encode()).hexdigest()
