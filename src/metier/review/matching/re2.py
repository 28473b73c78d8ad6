"""Patterns in linear time: hostile text cannot make a search slow, and one look tells which of many can match."""

from __future__ import annotations

import functools
import importlib
import re
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LIMIT = 20_000
"""Matches of one pattern in one text that are looked at; more of them is a finding of its own."""
PROOF = "zqxsievexqz"
"""Letters put behind every text: a look that does not find them has failed, and rules nothing out."""
_GAP = re.compile(r"<(\d+)>")


class Match(Protocol):
    """The part of a match object that is used here."""

    def start(self, group: int = 0, /) -> int:
        """Where a group begins."""
        ...

    def end(self, group: int = 0, /) -> int:
        """Where a group ends."""
        ...

    def group(self, group: int = 0, /) -> bytes | None:
        """The text of a group."""
        ...


class CompiledPattern(Protocol):
    """A compiled pattern."""

    def finditer(self, text: bytes, /) -> Iterator[Match]:
        """All matches, none overlapping another."""
        ...

    def search(self, text: bytes, /) -> Match | None:
        """The first match."""
        ...


class TooManyMatchesError(Exception):
    """A text matches a pattern more often than any honest one does."""


class _Options(Protocol):
    max_mem: int
    log_errors: bool

    def __call__(self) -> _Options: ...


class _Re2(Protocol):
    """What is used of `google-re2`, which comes without types."""

    Options: _Options

    def compile(self, pattern: bytes, options: _Options) -> CompiledPattern: ...


@functools.cache
def _library() -> tuple[_Re2, _Options]:
    re2 = cast("_Re2", importlib.import_module("re2"))
    options = re2.Options()
    options.max_mem = 64 << 20
    options.log_errors = False
    return re2, options


@functools.cache
def compile_pattern(pattern: str) -> CompiledPattern:
    """A pattern ready to use: case does not matter, `.` is any character, `<80>` stands for up to 80 of them."""
    re2, options = _library()
    return re2.compile(source_of_pattern(pattern), options)


def source_of_pattern(pattern: str) -> bytes:
    """A pattern in the words of the library."""
    return ("(?is)" + _GAP.sub(r".{0,\1}?", pattern)).encode()


def match_spans(pattern: str, data: bytes) -> Iterator[tuple[int, int]]:
    """Where a pattern matches in UTF-8 bytes, one match after the other."""
    for count, match in enumerate(compile_pattern(pattern).finditer(data)):
        if count >= LIMIT:
            raise TooManyMatchesError(pattern)
        yield match.start(), match.end()


def places(pattern: str, data: bytes) -> list[tuple[int, int]]:
    """All places where a pattern matches."""
    return list(match_spans(pattern, data))


def matches(pattern: str, text: str) -> bool:
    """Whether a pattern occurs in a text."""
    return compile_pattern(pattern).search(text.encode("utf-8", "replace")) is not None


class _Filter(Protocol):
    """What is used of `re2.Filter`, which comes without types."""

    def Add(self, pattern: bytes, /) -> int: ...  # noqa: N802

    def Compile(self) -> None: ...  # noqa: N802

    def Match(self, text: bytes, potential: bool, /) -> list[int] | None: ...  # noqa: N802, FBT001


class Prefilter:
    """Tells which of its patterns a text may match; what it leaves out cannot match."""

    def __init__(self, patterns: Iterable[str]) -> None:
        self._patterns = (PROOF, *dict.fromkeys(patterns))

    def possible(self, data: bytes) -> frozenset[str]:
        """The patterns worth searching for."""
        found = self._filter.Match(data + PROOF.encode(), True) or []  # noqa: FBT003
        return frozenset(self._patterns[at] for at in found) if 0 in found else frozenset(self._patterns)

    @functools.cached_property
    def _filter(self) -> _Filter:
        made = cast("_Filter", importlib.import_module("re2").Filter())
        for pattern in self._patterns:
            made.Add(source_of_pattern(pattern))
        made.Compile()
        return made
