"""Answers as pydantic types: their JSON Schema, and the form of it that model servers take."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, cast

from metier.models.model import Schema

if TYPE_CHECKING:
    from pydantic import BaseModel

DROPPED = {
    *("default", "title", "examples", "discriminator", "format", "pattern", "minLength", "maxLength"),
    *(
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "minItems",
        "maxItems",
        "uniqueItems",
    ),
}
"""What servers refuse in a schema or do not hold; the pydantic type holds it afterwards."""
BY_NAME = frozenset({"properties", "$defs"})
"""Keywords whose keys are names of ours and not of the standard."""


@lru_cache(maxsize=256)
def schema_of(kind: type[BaseModel]) -> Schema:
    """The shape of a pydantic type."""
    shape = kind.model_json_schema()
    return Schema(name=kind.__name__.strip("_") or "Answer", json=json.dumps(shape, sort_keys=True, ensure_ascii=False))


@lru_cache(maxsize=256)
def wire_schema(text: str) -> dict[str, object] | None:
    """The schema as strict servers take it: closed objects with every field required; None if it cannot be said so."""
    shape = cast("dict[str, object]", json.loads(text))
    try:
        return cast("dict[str, object]", _closed(shape))
    except ValueError:
        return None


def _closed(node: object) -> object:
    if isinstance(node, list):
        return [_closed(one) for one in cast("list[object]", node)]
    if not isinstance(node, dict):
        return node
    made: dict[str, object] = {}
    for key, value in cast("dict[str, object]", node).items():
        if key in BY_NAME:
            made[key] = {name: _closed(one) for name, one in cast("dict[str, object]", value).items()}
        elif key not in DROPPED:
            made["anyOf" if key == "oneOf" else key] = _closed(value)
    if made.get("type") == "object":
        _close(made)
    return made


def _close(made: dict[str, object]) -> None:
    if made.get("additionalProperties") not in (None, False) or "properties" not in made:
        raise ValueError("an object with any keys")
    made["additionalProperties"] = False
    made["required"] = list(cast("dict[str, object]", made["properties"]))
