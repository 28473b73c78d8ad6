"""Values as JSON text and back, for rows and files that are read whole."""

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
    """Prepare for values of a kind now; the first use would take longer."""
    _adapter(kind)


def dumps(value: object) -> str:
    """A value as JSON text."""
    return _adapter(type(value)).dump_json(value).decode()


def loads(kind: type[T], text: object) -> T:
    """The value that `dumps` wrote."""
    return _adapter(kind).validate_json(str(text))
