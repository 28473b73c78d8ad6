"""How a run's id stands in tables: its last third, the session's, first, so that runs of one session lie together."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ID, HEAD, SESSION = 24, 16, 8
"""Characters of an id, of its own part, of its session's."""
CHUNK = 500
"""Values in one statement."""
OWN = "workspace || '' = ?"
"""Rows of one workspace, said so that SQLite looks them up by their keys and does not go through all of it."""
T = TypeVar("T")


def key_of(run: str) -> str:
    """A run's id as tables order it: by session first."""
    return run[HEAD:] + run[:HEAD]


def id_of(key: str) -> str:
    """The id behind a key."""
    return key[SESSION:] + key[:SESSION]


def in_parts(values: Sequence[T]) -> Iterator[Sequence[T]]:
    """The values, as many at a time as one statement takes."""
    return (values[index : index + CHUNK] for index in range(0, len(values), CHUNK))
