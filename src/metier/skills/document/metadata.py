"""Metier's own notes in a document: texts under `metadata` in the frontmatter, all other bytes left alone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from metier.errors import InputError
from metier.skills.document.frontmatter import Frontmatter, FrontmatterEntry, read
from metier.skills.document.yaml_quoting import quote
from metier.skills.document.yaml_values import Fault, Item, read_yaml

if TYPE_CHECKING:
    from collections.abc import Iterator

_KEY = re.compile(r"metier\.[a-z0-9._-]+\Z")
_BREAK = re.compile(rb"\r\n|\n|\r")


class _Cut(NamedTuple):
    """Bytes to put in the place of others."""

    start: int
    end: int
    text: bytes


def set_metadata(document: bytes, key: str, text: str) -> bytes:
    """The document with one `metier.` key under `metadata` set to a text; a shape it cannot be set in is refused."""
    if not _KEY.match(key):
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
