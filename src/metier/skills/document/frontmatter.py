"""The frontmatter of a SKILL.md in raw bytes: where each value stands, and one value set without touching the rest."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from metier.errors import InputError
from metier.skills.document.yaml_values import (
    Fault,
    FaultRule,
    Item,
    Oddity,
    Reading,
    Value,
    quote,
    read_simple_yaml,
    read_yaml,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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


_OWN_KEY = re.compile(r"metier\.[a-z0-9._-]+\Z")


class _Cut(NamedTuple):
    """Bytes to put in the place of others."""

    start: int
    end: int
    text: bytes


def set_metadata(document: bytes, key: str, text: str) -> bytes:
    """The document with one `metier.` key under `metadata` set to a text; a shape it cannot be set in is refused."""
    if not _OWN_KEY.match(key):
        raise InputError(f"{key[:80]!r} is no key of ours: write metier. and a-z, 0-9, dots, hyphens or underscores.")
    front = read(document)
    if front.layout.state != "present" or front.problem:
        raise InputError(f"{key!r} was not set: the document has no frontmatter that can be read.")
    line = f"{key}: {quote(text, plain=False)}".encode()
    for cut in _cuts(document, front, key, line):
        changed = b"".join((document[: cut.start], cut.text, document[cut.end :]))
        if _is_set(changed, front, key, text):
            return changed
    raise InputError(f"{key!r} cannot be set in metadata of this shape; write one key: text on each line below it.")


def _is_set(changed: bytes, before: Frontmatter, key: str, text: str) -> bool:
    """Whether the document says the same as before, and this."""
    after = read(changed)
    old = before.get("metadata")
    wanted = before.values | {"metadata": {**(old if isinstance(old, dict) else {}), key: text}}
    return not after.problem and after.values == wanted


def _cuts(document: bytes, front: Frontmatter, key: str, line: bytes) -> Iterator[_Cut]:
    """Where the line may go, the best place first."""
    entry = front.entry("metadata")
    newline = front.layout.newline
    if entry is None:
        at, indent = front.layout.frontmatter.end, _lead(document, front.entries[0].key_at) if front.entries else b""
        yield _Cut(at, at, b"".join((indent, b"metadata:", newline, indent, b"  ", line, newline)))
        return
    start, end = entry.span
    if entry.value is None:
        if start == end:
            yield _new_line(document, start, _lead(document, entry.key_at) + b"  ", line, newline)
        return
    if not isinstance(entry.value, dict) or document[start : start + 1] == b"{":
        return
    indent = _lead(document, start)
    if key in entry.value:
        yield from _value(document, entry, key, line)
        return
    yield _new_line(document, end, indent, line, newline)
    at = start - len(indent)
    yield _Cut(at, at, b"".join((indent, line, newline)))


def _value(document: bytes, entry: FrontmatterEntry, key: str, line: bytes) -> Iterator[_Cut]:
    """The value of a key that is there, of several the last."""
    at = entry.span.start - len(_lead(document, entry.span.start))
    text = document[at : entry.span.end].decode()
    found = read_yaml(text)
    items: tuple[Item, ...] = () if isinstance(found, Fault) else found.items
    item = next((one for one in reversed(items) if one.key == key), None)
    if item is None:
        return
    begin = at + len(text[: item.key_at].encode())
    end = at + len(text[: item.end].encode())
    yield _Cut(begin, end, line)


def _new_line(document: bytes, after: int, indent: bytes, line: bytes, newline: bytes) -> _Cut:
    """A line behind the one that a place is on."""
    found = _BREAK.search(document, after)
    at = found.end() if found else len(document)
    return _Cut(at, at, b"".join((indent, line, newline)))


def _lead(document: bytes, at: int) -> bytes:
    """What stands before a place on its line, if that is only white space."""
    lead = _BREAK.split(document[:at])[-1]
    return lead if not lead.strip() else b""
