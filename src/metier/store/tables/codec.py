"""Nouns as JSON texts and back, for the tables whose rows are read whole."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from pydantic import TypeAdapter

T = TypeVar("T")


@cache
def _adapter(kind: type[T]) -> TypeAdapter[T]:
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


def prepare(kind: type[object]) -> None:
    """Make ready for nouns of a kind, which takes a moment."""
    _adapter(kind)


def dumps(value: object) -> str:
    """A noun as JSON text."""
    return _adapter(type(value)).dump_json(value).decode()


def loads(kind: type[T], text: object) -> T:
    """The noun that `dumps` wrote."""
    return _adapter(kind).validate_json(str(text))
