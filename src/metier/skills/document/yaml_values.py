"""The YAML of a frontmatter read within bounds: no aliases, little depth, few nodes, and the place of every value."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, cast

import yaml

from metier.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_DEPTH = 32
"""Lists and mappings inside each other."""
MAX_EVENTS = 10_000
"""Keys, values, and beginnings and ends of lists and mappings; real frontmatter has fewer than 200."""

Value: TypeAlias = "str | list[Value] | dict[str, Value] | None"
"""Every scalar is its text, whatever YAML would make of it; null and nothing are None."""
Oddity = Literal["flow", "anchor", "tag", "tab", "duplicate"]
"""Something readers disagree about."""
FaultRule = Literal["yaml-unreadable", "yaml-alias", "yaml-too-deep", "yaml-too-large", "yaml-not-a-mapping"]
_NULLS = ("", "~", "null", "Null", "NULL")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Why a text cannot be read as a mapping, and at which character."""

    rule: FaultRule
    at: int
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One top-level key with its value; places are characters of the text."""

    key: str
    key_at: int
    value: Value
    start: int
    end: int
    """Behind the last character of the value; line breaks and comments after it do not count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The top-level items in order, and the first place of each oddity."""

    items: tuple[Item, ...] = ()
    odd: dict[Oddity, int] = field(default_factory=dict[Oddity, int])


class _Events(Protocol):
    """What gives one event after the other."""

    def get_event(self) -> yaml.Event: ...


class _RefusedError(Exception):
    """Carries a fault out of the walk."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.detail)
        self.fault = fault


def read_yaml(text: str) -> Reading | Fault:
    """The items of a YAML mapping; a text that only tabs make unreadable is read with spaces in their place."""
    found = _attempt(text)
    if isinstance(found, Reading) or "\t" not in text:
        return found
    second = _attempt(text.replace("\t", " "))
    if isinstance(second, Fault):
        return found
    second.odd["tab"] = text.index("\t")
    return second


def _attempt(text: str) -> Reading | Fault:
    try:
        return _Walk(text).document()
    except _RefusedError as refused:
        return refused.fault
    except yaml.reader.ReaderError as error:
        return Fault(rule="yaml-unreadable", at=int(error.position), detail="a character that YAML does not allow")
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        return Fault(rule="yaml-unreadable", at=mark.index if mark else 0, detail=str(error.problem or error.context))
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        return Fault(rule="yaml-unreadable", at=0, detail=str(error).splitlines()[0] if str(error) else "not YAML")


class _Walk:
    """One pass over the events of a text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._loader: _Events = yaml.SafeLoader(text)
        self._seen = 0
        self._end = 0
        self._odd: dict[Oddity, int] = {}

    def document(self) -> Reading:
        """The whole text, which must be one mapping or nothing."""
        self._next()
        if isinstance(self._next(), yaml.StreamEndEvent):
            return Reading()
        root = self._next()
        if isinstance(root, yaml.AliasEvent):
            raise self._refused("yaml-alias", root, "an alias in place of keys and values")
        if not isinstance(root, yaml.MappingStartEvent):
            if isinstance(root, yaml.ScalarEvent) and _is_null(root):
                return Reading()
            raise self._refused("yaml-not-a-mapping", root, "a list or a single text in place of keys and values")
        self._note(root)
        items = tuple(self._items())
        self._next()
        if not isinstance(after := self._next(), yaml.StreamEndEvent):
            raise self._refused("yaml-unreadable", after, "a second YAML document")
        return Reading(items=items, odd=self._odd)

    def _items(self) -> Iterator[Item]:
        seen: set[str] = set()
        while not isinstance(event := self._next(), yaml.MappingEndEvent):
            key = self._key(event, seen)
            first = self._next()
            value = self._value(first, depth=1)
            start = _begin(first)
            end = max(start, self._end)
            end = start + len(self._text[start:end].rstrip())
            yield Item(key=key, key_at=_begin(event), value=value, start=start, end=end)

    def _key(self, event: yaml.Event, seen: set[str]) -> str:
        if isinstance(event, yaml.AliasEvent):
            raise self._refused("yaml-alias", event, "an alias in place of a key")
        if not isinstance(event, yaml.ScalarEvent):
            raise self._refused("yaml-unreadable", event, "a key that is no text")
        self._note(event)
        key = str(event.value)
        if key in seen:
            self._odd.setdefault("duplicate", _begin(event))
        seen.add(key)
        return key

    def _value(self, event: yaml.Event, depth: int) -> Value:
        if isinstance(event, yaml.AliasEvent):
            raise self._refused("yaml-alias", event, "an alias (*name)")
        if depth > MAX_DEPTH:
            raise self._refused("yaml-too-deep", event, f"more than {MAX_DEPTH} levels inside each other")
        self._note(event)
        if isinstance(event, yaml.SequenceStartEvent):
            return self._list(depth)
        if isinstance(event, yaml.MappingStartEvent):
            return self._mapping(depth)
        scalar = cast("yaml.ScalarEvent", event)
        return None if _is_null(scalar) else str(scalar.value)

    def _list(self, depth: int) -> list[Value]:
        found: list[Value] = []
        while not isinstance(event := self._next(), yaml.SequenceEndEvent):
            found.append(self._value(event, depth + 1))
        return found

    def _mapping(self, depth: int) -> dict[str, Value]:
        found: dict[str, Value] = {}
        seen: set[str] = set()
        while not isinstance(event := self._next(), yaml.MappingEndEvent):
            key = self._key(event, seen)
            found[key] = self._value(self._next(), depth + 1)
        return found

    def _next(self) -> yaml.Event:
        event = self._loader.get_event()
        self._seen += 1
        if self._seen > MAX_EVENTS:
            raise self._refused("yaml-too-large", event, f"more than {MAX_EVENTS:,} keys and values")
        if isinstance(event, yaml.ScalarEvent) or _end(event) > _begin(event):
            self._end = max(self._end, _end(event))
        return event

    def _note(self, event: yaml.Event) -> None:
        """Remember what strict readers refuse."""
        at = _begin(event)
        if getattr(event, "anchor", None):
            self._odd.setdefault("anchor", at)
        if getattr(event, "tag", None):
            self._odd.setdefault("tag", at)
        if getattr(event, "flow_style", False):
            self._odd.setdefault("flow", at)

    @staticmethod
    def _refused(rule: FaultRule, event: yaml.Event, detail: str) -> _RefusedError:
        return _RefusedError(Fault(rule=rule, at=_begin(event), detail=detail))


def _is_null(event: yaml.ScalarEvent) -> bool:
    return event.implicit[0] and event.style is None and event.value in _NULLS


def _begin(event: yaml.Event) -> int:
    return event.start_mark.index if event.start_mark else 0


def _end(event: yaml.Event) -> int:
    return event.end_mark.index if event.end_mark else 0


# ---- the simple form, read without a YAML parser ------------------------------------------------------------------

MANY = 50
"""Keys on one level beyond which a frontmatter is not ordinary."""
_KEY = r"([A-Za-z][A-Za-z0-9._-]{0,63}):"
_INNER = r"""[A-Za-z0-9._/,;()'"&*!?+=%@<>|~^$-]"""
"""What a text without quotes is made of behind its first letter; a colon or a sharp may end it."""
_TEXT = (
    rf" (?:([A-Za-z]{_INNER}*(?: {_INNER}+)*)"
    r'|"([^"\\\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]*)")\n'
)
_LINE = re.compile(_KEY + _TEXT)
_BELOW = re.compile("  " + _KEY + _TEXT)
_PARENT = re.compile(_KEY + r"\n(?=  [A-Za-z])")
_NULL_WORDS = ("null", "Null", "NULL")


def read_simple_yaml(text: str) -> Reading | None:
    """What `read_yaml` makes of a text; None where it is not of this simple form, whatever it may mean."""
    items: dict[str, Item] = {}
    at = 0
    while at < len(text):
        found = _line(text, at) or _parent(text, at)
        if found is None or found[0].key in items or len(items) == MANY:
            return None
        item, at = found
        items[item.key] = item
    return Reading(items=tuple(items.values())) if items else None


def _line(text: str, at: int) -> tuple[Item, int] | None:
    """The key and text that begin at a place, and where the next line begins."""
    found = _LINE.match(text, at)
    if found is None:
        return None
    end = found.end() - 1
    return Item(key=found[1], key_at=at, value=_value(found), start=found.end(1) + 2, end=end), found.end()


def _parent(text: str, at: int) -> tuple[Item, int] | None:
    """A key with other keys and their texts on the lines below it."""
    parent = _PARENT.match(text, at)
    if parent is None:
        return None
    below: dict[str, Value] = {}
    end = parent.end()
    while found := _BELOW.match(text, end):
        if found[1] in below or len(below) == MANY:
            return None
        below[found[1]] = _value(found)
        end = found.end()
    item = Item(key=parent[1], key_at=at, value=below, start=parent.end() + 2, end=end - 1)
    return (item, end) if below else None


def _value(found: re.Match[str]) -> str | None:
    """The text of a line; the bare word for nothing is None."""
    return found[3] if found[2] is None else None if found[2] in _NULL_WORDS else found[2]


_WORDS = ("true", "false", "yes", "no", "on", "off", "y", "n", "null")
"""Words that some YAML readers take for something else than text."""
_HALF = re.compile("[\ud800-\udfff]")
_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def quote(text: str, *, plain: bool = True) -> str:
    """The text as it is where that is safe, else in double quotes with escapes.

    Three dashes are broken up by an escape: some readers end the frontmatter at the first `---` they meet.
    """
    if _HALF.search(text):
        raise InputError("The text holds half a character (a lone surrogate); write it again in UTF-8.")
    if plain and _is_plain(text):
        return text
    body = "".join(map(_escaped, text)) if not text.isprintable() else text.replace("\\", "\\\\").replace('"', '\\"')
    body = body.replace("---", "\\x2d--")
    return f'"{body}"'


def _is_plain(text: str) -> bool:
    if not text or not text.isprintable() or text != text.strip():
        return False
    if not (text[0].isalpha() or text[0] in "(/") or text.lower() in _WORDS:
        return False
    return not (": " in text or " #" in text or "---" in text or text.endswith(":"))


def _escaped(char: str) -> str:
    if char in _SHORT:
        return _SHORT[char]
    if char.isprintable():
        return char
    code = ord(char)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
