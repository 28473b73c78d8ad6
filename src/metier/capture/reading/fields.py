"""Read values from other programs' JSON: every function accepts any shape, and none raises except `decode`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, TypeGuard, cast

from metier.formats.strict_json import TOO_DEEP, clean, is_moment, is_too_deep

if TYPE_CHECKING:
    from collections.abc import Callable

TEXT_LIMIT = 256 * 1024
"""Characters that one text may have; the rest is cut and a mark says so."""

Map = dict[str, object]


def decode(raw: bytes | str) -> object:
    """The value of a JSON text; a ValueError gives the reason in a few words."""
    try:
        value: object = json.loads(raw)
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg} at character {error.pos}") from None
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8: byte {error.start}") from None
    except RecursionError:
        raise ValueError(f"not readable: {TOO_DEEP}") from None
    except ValueError:
        raise ValueError("not readable: a number with thousands of digits") from None
    if is_too_deep(value):
        raise ValueError(f"not readable: {TOO_DEEP}")
    return value


def is_map(value: object) -> TypeGuard[Map]:
    """Whether a value is a JSON object."""
    return isinstance(value, dict)


def is_list(value: object) -> TypeGuard[list[object]]:
    """Whether a value is a JSON list."""
    return isinstance(value, list)


def mapping(value: object, *keys: str) -> Map:
    """The JSON object under a path of keys; empty if there is none."""
    for key in keys:
        value = value.get(key) if is_map(value) else None
    return value if is_map(value) else {}


def elements(value: object) -> list[object]:
    """The value as a list; empty if it is not a list."""
    return value if is_list(value) else []


def items(obj: object, key: str) -> list[object]:
    """The list under a key; empty if there is none."""
    return elements(mapping(obj).get(key))


def text(obj: object, key: str) -> str:
    """The text under a key, cleaned and cut; empty if there is none."""
    value = obj.get(key) if is_map(obj) else None
    if not isinstance(value, str):
        return ""
    return value if len(value) < 1000 and value.isascii() and "\0" not in value else clip(value)


def number(obj: object, key: str) -> int:
    """The count under a key; 0 if it is missing, negative, infinite or not a number."""
    value = obj.get(key) if is_map(obj) else None
    if value is None:
        return 0
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 19:
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0
    return int(value) if 0 <= value < 2**63 else 0


def flag(obj: object, key: str) -> bool:
    """Whether the value under a key is exactly true."""
    return mapping(obj).get(key) is True


def moment(obj: object, key: str) -> str | None:
    """The ISO 8601 time under a key, unchanged; None if it is not a time."""
    value = mapping(obj).get(key)
    return value if isinstance(value, str) and is_moment(value) else None


def clip(value: str, limit: int = TEXT_LIMIT) -> str:
    """Clean text of at most `limit` characters; a mark at the end says how many were cut."""
    if len(value) <= limit:
        return clean(value)
    return f"{clean(value[:limit])}\n[… {len(value) - limit} characters cut]"


def compact(value: object) -> str:
    """Any JSON value as one text; a text stays as it is."""
    if value is None:
        return ""
    if isinstance(value, str):
        return clip(value)
    try:
        return clip(json.dumps(value, ensure_ascii=False, separators=(", ", ": ")))
    except (ValueError, RecursionError, TypeError):
        return "[unreadable]"


def json_without_secrets(value: object, redact: Callable[[str], str]) -> object:
    """A JSON value without secrets; it is not deep, its reader made sure of that."""
    if isinstance(value, str):
        return redact(clean(value))
    if is_map(value):
        return {clean(key): json_without_secrets(inner, redact) for key, inner in value.items()}
    if is_list(value) or isinstance(value, tuple):
        return [json_without_secrets(inner, redact) for inner in cast("list[object]", value)]
    return value
