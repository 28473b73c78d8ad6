"""The frontmatter that nearly every skill has, read without a YAML parser: `key: text` on each line, metadata below."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from metier.skills.document.yaml_values import Item, Reading

if TYPE_CHECKING:
    from metier.skills.document.yaml_values import Value

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
_NULLS = ("null", "Null", "NULL")


def ordinary(text: str) -> Reading | None:
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
    return found[3] if found[2] is None else None if found[2] in _NULLS else found[2]
