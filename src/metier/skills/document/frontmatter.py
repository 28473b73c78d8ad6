"""The frontmatter of a SKILL.md in raw bytes: where each value stands, and one value set without touching the rest."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from metier.errors import InputError
from metier.skills.document.yaml_quoting import quote
from metier.skills.document.yaml_values import (
    Fault,
    FaultRule,
    Item,
    Oddity,
    Reading,
    Value,
    read_simple_yaml,
    read_yaml,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

LIMIT = 256 * 1024
"""Bytes between the two lines of dashes."""
SMALL = 64 * 1024
"""Bytes of a document whose reading is remembered for a while."""
BOM = b"\xef\xbb\xbf"
_OPENING = re.compile(rb"---[ \t]*(\r\n|\n|\r|\Z)")
_CLOSING = re.compile(rb"(?<=[\r\n])---[ \t]*(\r\n|\n|\r|\Z)")
_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*\Z")
_BREAK = re.compile(rb"\r\n|\n|\r")


class Span(NamedTuple):
    """Bytes from `start` up to, not including, `end`."""

    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The parts of a document."""

    state: Literal["present", "absent", "unterminated"]
    frontmatter: Span
    """Between the two lines of dashes; empty when there is none, all the rest when it is not terminated."""
    body: Span
    newline: bytes
    """The line break the document uses first; `\\n` when it has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontmatterEntry:
    """One top-level key of the frontmatter."""

    key: str
    value: Value
    line: int
    """Of the key, counted from 1 in the document."""
    key_at: int
    span: Span
    """The bytes of the value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class YamlProblem:
    """Why a frontmatter cannot be read, and on which line."""

    rule: FaultRule | Literal["frontmatter-too-large", "not-utf8"]
    line: int
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Frontmatter:
    """A document's parts, and what its frontmatter says."""

    layout: Layout
    entries: tuple[FrontmatterEntry, ...] = ()
    problem: YamlProblem | None = None
    odd: dict[Oddity, int] = field(default_factory=dict[Oddity, int])
    """The line of the first occurrence of each thing readers disagree about."""

    def entry(self, key: str) -> FrontmatterEntry | None:
        """The entry of a key; of several the last, as YAML readers do."""
        return next((entry for entry in reversed(self.entries) if entry.key == key), None)

    def get(self, key: str) -> Value:
        """The value of a key, None when it is not there."""
        entry = self.entry(key)
        return entry.value if entry else None

    @property
    def values(self) -> dict[str, Value]:
        """Every key with its value."""
        return {entry.key: entry.value for entry in self.entries}


def split(document: bytes) -> Layout:
    """Where frontmatter and body are; any bytes have an answer."""
    begin = len(BOM) if document.startswith(BOM) else 0
    found = _BREAK.search(document)
    newline = found[0] if found else b"\n"
    opening = _OPENING.match(document, begin)
    if not opening:
        return Layout(state="absent", frontmatter=Span(begin, begin), body=Span(begin, len(document)), newline=newline)
    closing = _CLOSING.search(document, opening.end())
    if not closing:
        rest = Span(opening.end(), len(document))
        return Layout(state="unterminated", frontmatter=rest, body=Span(rest.end, rest.end), newline=newline)
    inner = Span(opening.end(), closing.start())
    return Layout(state="present", frontmatter=inner, body=Span(closing.end(), len(document)), newline=newline)


def read(document: bytes) -> Frontmatter:
    """The entries of the frontmatter, or why they cannot be read; bounded in time for any bytes."""
    return _kept(document) if len(document) <= SMALL else _read(document)


def _read(document: bytes) -> Frontmatter:
    layout = split(document)
    start, end = layout.frontmatter
    if layout.state != "present":
        return Frontmatter(layout=layout)
    if end - start > LIMIT:
        detail = f"{end - start:,} bytes, {LIMIT:,} are allowed"
        return Frontmatter(layout=layout, problem=YamlProblem(rule="frontmatter-too-large", line=1, detail=detail))
    try:
        text = document[start:end].decode()
    except UnicodeDecodeError as error:
        line = line_of(document, start + error.start)
        return Frontmatter(
            layout=layout, problem=YamlProblem(rule="not-utf8", line=line, detail="bytes that are no UTF-8")
        )
    found = read_simple_yaml(text) or read_yaml(text)
    if isinstance(found, Fault):
        line = _places(text, start, [found.at])[found.at].line
        return Frontmatter(layout=layout, problem=YamlProblem(rule=found.rule, line=line, detail=found.detail))
    return _placed(layout, text, found)


_kept = lru_cache(maxsize=64)(_read)
"""Of documents just read: each is asked for several things, and reading YAML takes a while."""


def set_value(document: bytes, key: str, text: str) -> bytes:
    """The document with one key's value set; every byte outside that value stays, a missing key is added last."""
    before = read(document)
    if before.problem or before.layout.state == "unterminated":
        why = f"line {before.problem.line}: {before.problem.detail}" if before.problem else "it is not terminated"
        raise InputError(f"The frontmatter cannot be read ({why}), so {key!r} was not set; mend it by hand first.")
    written = quote(text, plain="flow" not in before.odd).encode()
    entry = before.entry(key)
    changed = _replaced(document, entry, written) if entry else _added(document, before, key, written)
    after = read(changed)
    if after.problem or after.values != before.values | {key: text} or after.get(key) != text:
        raise InputError(f"{key!r} cannot be set in a frontmatter of this shape; write it one key a line.")
    return changed


def line_of(document: bytes, offset: int) -> int:
    """The line a byte stands on, counted from 1; a line ends with CR, LF or both."""
    return 1 + len(_BREAK.findall(document, 0, offset))


def _replaced(document: bytes, entry: FrontmatterEntry, written: bytes) -> bytes:
    start, end = entry.span
    last = document[start - 1 : start]
    gap = b" " if last == b":" else b"  " if last in (b"\n", b"\r") else b""
    return b"".join((document[:start], gap, written, document[end:]))


def _added(document: bytes, front: Frontmatter, key: str, written: bytes) -> bytes:
    if not _KEY.match(key):
        raise InputError(f"{key!r} cannot be a key; use letters, digits, hyphens and underscores.")
    layout = front.layout
    end = layout.newline
    line = b"".join((_indent(document, front), key.encode(), b": ", written, end))
    at = layout.frontmatter.end
    if layout.state == "absent":
        line = b"".join((b"---", end, line, b"---", end))
    return b"".join((document[:at], line, document[at:]))


def _indent(document: bytes, front: Frontmatter) -> bytes:
    """What stands before the first key on its line."""
    if not front.entries:
        return b""
    at = front.entries[0].key_at
    lead = _BREAK.split(document[front.layout.frontmatter.start : at])[-1]
    return lead if not lead.strip() else b""


class _Place(NamedTuple):
    offset: int
    line: int


def _places(text: str, start: int, indexes: Iterable[int]) -> dict[int, _Place]:
    """The byte and the line of characters of a frontmatter that begins at byte `start`, on line 2."""
    found: dict[int, _Place] = {}
    offset, line, last = start, 2, 0
    for index in sorted(set(indexes)):
        piece = text[last:index]
        offset += len(piece.encode())
        line += piece.count("\n") + piece.count("\r") - piece.count("\r\n")
        found[index] = _Place(offset, line)
        last = index
    return found


def _placed(layout: Layout, text: str, found: Reading) -> Frontmatter:
    indexes = [index for item in found.items for index in (item.key_at, item.start, item.end)]
    places = _places(text, layout.frontmatter.start, [*indexes, *found.odd.values()])

    def entry(item: Item) -> FrontmatterEntry:
        at = places[item.key_at]
        span = Span(places[item.start].offset, places[item.end].offset)
        return FrontmatterEntry(key=item.key, value=item.value, line=at.line, key_at=at.offset, span=span)

    odd: dict[Oddity, int] = {name: places[index].line for name, index in found.odd.items()}
    return Frontmatter(layout=layout, entries=tuple(entry(item) for item in found.items), odd=odd)
