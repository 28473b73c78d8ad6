"""Strict reading of one JSON object: known fields only, each of its type, and every refusal names its field."""

from __future__ import annotations

import json
from datetime import datetime
from math import isfinite
from typing import TYPE_CHECKING, TypeVar, cast, get_args

from metier.errors import InputError
from metier.types import Origin

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

T = TypeVar("T")

DEEPEST = 64
"""Levels of lists and objects inside each other that are read."""
_NESTING = (dict, list)
TOO_DEEP = "nested too deeply"
_ORIGINS: tuple[str, ...] = get_args(Origin)
_KINDS: dict[type[object], str] = {
    type(None): "null",
    bool: "true or false",
    str: "text",
    list: "a list",
    dict: "an object",
}


def word(value: object, where: str) -> str:
    """A text in a list."""
    if not isinstance(value, str):
        raise _wrong(where, "text", value)
    return clean(value)


class StrictObject:
    """One JSON object; null is the same as left out."""

    def __init__(self, value: object, where: str, known: Iterable[str]) -> None:
        if not isinstance(value, dict):
            raise _wrong(where or "a run", "an object", value)
        self.fields = cast("dict[str, object]", value)
        self.where = where
        for key in self.fields:
            if key not in known:
                raise _unknown(self._at(key), key, known)

    def optional(self, key: str) -> str | None:
        """The text of a field, or None."""
        value = self.fields.get(key)
        return None if value is None else word(value, self._at(key))

    def text(self, key: str) -> str:
        """The text of a field, empty when it is not there."""
        return self.optional(key) or ""

    def loose(self, key: str) -> str:
        """A field that may be any JSON: texts stay as they are, anything else becomes its JSON text."""
        value = self.fields.get(key)
        if value is None or isinstance(value, str):
            return clean(value or "")
        if is_too_deep(value):
            raise InputError(f"{self._at(key)}: {TOO_DEEP}; at most {DEEPEST} levels are read")
        return clean(json.dumps(value, ensure_ascii=False))

    def required(self, key: str) -> str:
        """The text of a field that must be there."""
        if key not in self.fields:
            raise InputError(f"{self._at(key)}: missing; write a text")
        return word(self.fields[key], self._at(key))

    def truth(self, key: str, *, default: bool | None = None) -> bool:
        """True or false; an error when it is not there and has no default."""
        value = self.fields.get(key)
        if value is None and default is not None:
            return default
        if not isinstance(value, bool):
            raise _wrong(self._at(key), "true or false", value)
        return value

    def count(self, key: str) -> int:
        """A whole number of at least 0; 0 when it is not there."""
        value = self.fields.get(key)
        if value is None:
            return 0
        if isinstance(value, bool) or not isinstance(value, int):
            raise _wrong(self._at(key), "a whole number", value)
        if not 0 <= value < 2**63:
            raise InputError(f"{self._at(key)}: must be between 0 and 2^63")
        return value

    def amount(self, key: str) -> float | None:
        """A number of at least 0, or None."""
        value = self.fields.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise _wrong(self._at(key), "a number", value)
        if not 0 <= value < 2**63 or not isfinite(value):
            raise InputError(f"{self._at(key)}: must be a number from 0 up")
        return float(value)

    def moment(self, key: str) -> str | None:
        """A time as ISO 8601, or None."""
        value = self.optional(key)
        if value is not None and not is_moment(value):
            raise InputError(
                f"{self._at(key)}: {value[:40]!r} is no ISO 8601 time; write one like 2026-01-31T09:30:00Z"
            )
        return value

    def origin(self, key: str, default: Origin | None = None) -> Origin:
        """One of the known origins."""
        value = self.optional(key)
        if value is None and default is not None:
            return default
        if value not in _ORIGINS:
            raise InputError(f"{self._at(key)}: {value!r} is no origin; write one of {', '.join(_ORIGINS)}")
        return cast("Origin", value)

    def each(self, key: str, read: Callable[[object, str], T]) -> tuple[T, ...]:
        """The elements of a list, each read in its place."""
        value = self.fields.get(key)
        if value is None:
            return ()
        if not isinstance(value, list):
            raise _wrong(self._at(key), "a list", value)
        where = self._at(key)
        return tuple(read(element, f"{where}[{index}]") for index, element in enumerate(cast("list[object]", value)))

    def part(self, key: str, read: Callable[[object, str], T]) -> T | None:
        """An object inside this one, or None."""
        value = self.fields.get(key)
        return None if value is None else read(value, self._at(key))

    def _at(self, key: str) -> str:
        return f"{self.where}.{key}" if self.where else key


def _wrong(where: str, wanted: str, value: object) -> InputError:
    found = _KINDS.get(type(value), "a number")
    return InputError(f"{where}: must be {wanted}, not {found}")


def _unknown(where: str, key: str, known: Iterable[str]) -> InputError:
    from difflib import get_close_matches

    near = get_close_matches(key, list(known), n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(known)}"
    return InputError(f"{clean(where[:80])}: unknown field; {hint}")


def load_json(text: str | bytes) -> object:
    """The value of a JSON text; a ValueError if it is none, or nested deeper than honest ones are."""
    try:
        value: object = json.loads(text)
    except RecursionError:
        raise ValueError(TOO_DEEP) from None
    if is_too_deep(value):
        raise ValueError(TOO_DEEP)
    return value


def json_objects(text: str) -> Iterator[dict[str, object]]:
    """The JSON objects among the lines of what a program printed; whatever else it printed counts for nothing."""
    for line in text.splitlines():
        if line.startswith("{"):
            try:
                found: object = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(found, dict):
                yield cast("dict[str, object]", found)


def is_too_deep(value: object) -> bool:
    """Whether lists and objects are nested deeper than DEEPEST; whoever walks through them later must not fall."""
    level = [value]
    for _ in range(DEEPEST):
        level = [inner for one in level for inner in _parts(one) if isinstance(inner, _NESTING)]
        if not level:
            return False
    return True


def _parts(value: object) -> Iterable[object]:
    """What stands directly inside a list or an object."""
    if isinstance(value, dict):
        return cast("dict[str, object]", value).values()
    return cast("list[object]", value) if isinstance(value, list) else ()


def is_moment(value: str) -> bool:
    """Whether a text is an ISO 8601 date and time."""
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return len(value) > len("2026-01-01")


def clean(value: str) -> str:
    """Text that every store can hold: lone surrogates and NUL characters become U+FFFD."""
    if "\0" in value:
        value = value.replace("\0", "\ufffd")
    if value.isascii():
        return value
    try:
        value.encode()
    except UnicodeEncodeError:
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return value
