"""Values as JSON text and back, for rows and files that are read whole.

Not by pydantic: a command that reads a few of them would wait longer for its import than for everything else.
"""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

if TYPE_CHECKING:
    from collections.abc import Callable

    Reader = Callable[[object], Any]

T = TypeVar("T")


def dumps(value: object) -> str:
    """A value as JSON text."""
    return json.dumps(value, default=_fields, ensure_ascii=False, separators=(",", ":"))


def loads(kind: type[T], text: object) -> T:
    """The value that `dumps` wrote; ValueError says what is wrong with another text."""
    try:
        return cast("T", reader_of(kind)(json.loads(str(text))))
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _fields(value: object) -> dict[str, object]:
    return {name: getattr(value, name) for name in _names(type(value))}


@cache
def _names(kind: type[Any]) -> tuple[str, ...]:
    return tuple(one.name for one in fields(kind))


@cache
def reader_of(kind: object) -> Reader:
    """What makes a value of a type from parsed JSON; to be asked for early where the first use should be quick."""
    if is_dataclass(kind):
        return _dataclass_reader(cast("type[Any]", kind))
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Literal:
        return _literal_reader(frozenset(parts))
    if origin in (Union, UnionType):
        return _union_reader(tuple(map(reader_of, parts)))
    if origin is tuple and len(parts) == 2 and parts[1] is Ellipsis:
        return _list_reader(reader_of(parts[0]))
    if origin is tuple:
        return _row_reader(tuple(map(reader_of, parts)))
    return _plain_reader(cast("type[Any]", kind))


def _dataclass_reader(kind: type[Any]) -> Reader:
    hints = get_type_hints(kind)
    readers = {name: reader_of(hints[name]) for name in _names(kind)}

    def read(value: object) -> object:
        if not isinstance(value, dict):
            raise _wrong(kind.__name__, value)
        given: dict[str, object] = {}
        for name, said in cast("dict[str, object]", value).items():
            if name in readers:
                try:
                    given[name] = readers[name](said)
                except ValueError as error:
                    raise ValueError(f"{name}: {error}") from None
        try:
            return kind(**given)
        except TypeError as error:  # one that has no default is missing
            raise ValueError(str(error)) from None

    return read


def _literal_reader(known: frozenset[object]) -> Reader:
    def read(value: object) -> object:
        if isinstance(value, (str, int)) and value in known:
            return value
        raise _wrong("one of its words", value)

    return read


def _union_reader(readers: tuple[Reader, ...]) -> Reader:
    def read(value: object) -> object:
        for reader in readers[1:]:
            try:
                return reader(value)
            except ValueError:
                continue
        return readers[0](value)

    return read


def _list_reader(reader: Reader) -> Reader:
    def read(value: object) -> object:
        if not isinstance(value, list):
            raise _wrong("a list", value)
        return tuple(map(reader, cast("list[object]", value)))

    return read


def _row_reader(readers: tuple[Reader, ...]) -> Reader:
    def read(value: object) -> object:
        if not isinstance(value, list) or len(cast("list[object]", value)) != len(readers):
            raise _wrong(f"a list of {len(readers)}", cast("object", value))
        return tuple(reader(one) for reader, one in zip(readers, cast("list[object]", value), strict=True))

    return read


def _plain_reader(kind: type[Any]) -> Reader:
    if kind not in (str, int, float, bool, NoneType):
        raise TypeError(f"{kind} cannot be read from JSON")

    def read(value: object) -> object:
        if type(value) is kind:
            return value
        if kind is float and type(value) is int:
            return float(value)
        raise _wrong(kind.__name__, value)

    return read


def _wrong(wanted: str, value: object) -> ValueError:
    return ValueError(f"{wanted} was expected, not {type(value).__name__}")
