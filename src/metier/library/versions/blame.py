"""Blame: for every line of a file the version that brought it in, from the history of its contents."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from metier.types.skills import Version

DEPTH = 6
"""How often what lies between matched lines is looked through again."""
Pair = tuple[int, int]
"""A line of the old text and the line of the new one that it became."""
Range = tuple[int, int, int, int]
"""Lines of the old text from, up to, and lines of the new text from, up to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BlamedLine:
    """One line of the newest text, and the version it came with: its draft or training step, runs, actor and gain."""

    number: int
    """Counted from 1."""
    text: str
    version: Version


def blame(history: Sequence[tuple[Version, bytes | None]]) -> tuple[BlamedLine, ...]:
    """The lines of the newest text with their versions; the oldest version comes first in the history, None: no file.

    A version that brings back an earlier content brings back who wrote it. A file that is gone at the end has no lines.
    """
    seen: dict[bytes, list[Version]] = {}
    lines: list[str] = []
    owners: list[Version] = []
    for version, content in history:
        if content is None:
            continue
        digest = sha256(content).digest()
        new = _lines(content)
        owners = seen.setdefault(digest, _owners(lines, new, owners, version) if digest not in seen else [])
        lines = new
    if not history or history[-1][1] is None:
        return ()
    pairs = zip(lines, owners, strict=True)
    return tuple(BlamedLine(number=number, text=text, version=owner) for number, (text, owner) in enumerate(pairs, 1))


def matches(old: Sequence[str], new: Sequence[str]) -> list[Pair]:
    """Lines that two texts have in common, in order; in a time that repetition does not drive up."""
    found: list[Pair] = []
    waiting: list[tuple[Range, int]] = [((0, len(old), 0, len(new)), DEPTH)]
    while waiting:
        place, depth = waiting.pop()
        place, trimmed = _trimmed(old, new, place)
        found += trimmed
        chain = _chain(old, new, place) if depth else []
        found += chain
        if chain:
            waiting += [(gap, depth - 1) for gap in _gaps(place, chain)]
    return sorted(found)


def _lines(content: bytes) -> list[str]:
    return [line.decode("utf-8", "replace") for line in content.splitlines()]


def _owners(old: Sequence[str], new: Sequence[str], owners: Sequence[Version], version: Version) -> list[Version]:
    found = [version] * len(new)
    for before, after in matches(old, new):
        found[after] = owners[before]
    return found


def _trimmed(old: Sequence[str], new: Sequence[str], place: Range) -> tuple[Range, list[Pair]]:
    """What is left without the lines that both begin and end with, and those."""
    a, b, c, d = place
    found: list[Pair] = []
    while a < b and c < d and old[a] == new[c]:
        found.append((a, c))
        a, c = a + 1, c + 1
    while a < b and c < d and old[b - 1] == new[d - 1]:
        b, d = b - 1, d - 1
        found.append((b, d))
    return (a, b, c, d), found


def _chain(old: Sequence[str], new: Sequence[str], place: Range) -> list[Pair]:
    """The longest run of matches that keeps the order: of lines that are there once on both sides, else of any.

    A line that is there several times is matched with its own first, second, third occurrence.
    """
    a, b, c, d = place
    if a == b or c == d:
        return []
    once = {line for line, count in Counter(old[a:b]).items() if count == 1}
    once &= {line for line, count in Counter(new[c:d]).items() if count == 1}
    return _rising(_occurrences(old, new, place, once) or _occurrences(old, new, place, None))


def _occurrences(old: Sequence[str], new: Sequence[str], place: Range, only: set[str] | None) -> list[Pair]:
    """The n-th occurrence of each line on both sides, by the order of the old text."""
    a, b, c, d = place
    at: dict[str, list[int]] = defaultdict(list)
    for number in range(d - 1, c - 1, -1):
        if only is None or new[number] in only:
            at[new[number]].append(number)
    return [(number, at[old[number]].pop()) for number in range(a, b) if at.get(old[number])]


def _rising(pairs: Sequence[Pair]) -> list[Pair]:
    """The longest selection of pairs in which the second numbers rise as the first do."""
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for number, (_, second) in enumerate(pairs):
        length = bisect_left(ends, second)
        before.append(last[length - 1] if length else -1)
        ends[length : length + 1] = [second]
        last[length : length + 1] = [number]
    found: list[Pair] = []
    number = last[-1] if last else -1
    while number >= 0:
        found.append(pairs[number])
        number = before[number]
    return found[::-1]


def _gaps(place: Range, chain: Sequence[Pair]) -> Iterator[Range]:
    """What lies before, between and behind matched lines, where both sides have something."""
    a, b, c, d = place
    for first, second in (*chain, (b, d)):
        if a < first and c < second:
            yield a, first, c, second
        a, c = first + 1, second + 1
