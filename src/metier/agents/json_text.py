"""Entries added to a JSON file as text, so that every byte that was there stays as it is, and taken out again."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from metier.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Json = Any
"""Any JSON value."""
BLANK = " \t\r\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Insertion:
    """A text that goes into a file."""

    position: int
    text: str


def with_hooks(text: str, groups: Mapping[str, Json]) -> tuple[str, tuple[str, ...]]:
    """A hooks file with one more group at the end of each event's list, and the pieces of text that were added."""
    document = _parse(text)
    hooks = _member(text, _start(text), "hooks")
    if hooks is None:
        addition = "\n".join(f"    {json.dumps(event)}: [{json.dumps(group)}]," for event, group in groups.items())
        inside = f'"hooks": {{\n{addition[:-1]}\n  }}'
        found = [_appended(text, _start(text), inside, is_empty=not document, indent="  ")]
    elif not isinstance(document["hooks"], dict):
        raise InputError('"hooks" is not an object')
    else:
        found = [_group_insertion(text, hooks, event, group) for event, group in groups.items()]
        found = _joined(found)
    for one in sorted(found, key=lambda one: one.position, reverse=True):
        text = text[: one.position] + one.text + text[one.position :]
    return text, tuple(one.text for one in found)


def without_pieces(text: str, pieces: Sequence[str], groups: Mapping[str, Json]) -> tuple[str, bool]:
    """A hooks file without what was added to it, and whether every group is gone.

    Where a piece stands as it was written, nothing else changes. Else the groups are taken out as values, and the
    file is written anew.
    """
    left = text
    for piece in pieces:
        if left.count(piece) == 1:
            left = left.replace(piece, "")
    if _is_json(left) and not any(has_group(left, event, group) for event, group in groups.items()):
        return left, True
    document = _parse(text)
    hooks = document.get("hooks")
    for event, group in groups.items() if isinstance(hooks, dict) else ():
        rows = cast("dict[str, Json]", hooks).get(event)
        if isinstance(rows, list) and group in rows:
            cast("list[Json]", rows).remove(group)
            if not rows:
                del cast("dict[str, Json]", hooks)[event]
    if document == json.loads(text):
        return text, False
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n", True


def has_group(text: str, event: str, group: Json) -> bool:
    """Whether a hooks file has this group for an event."""
    try:
        rows = json.loads(text)["hooks"][event]
    except (ValueError, KeyError, TypeError):
        return False
    return isinstance(rows, list) and group in rows


def _group_insertion(text: str, hooks: tuple[int, int], event: str, group: Json) -> Insertion:
    """Where a group goes: behind the last one of its event, or as the first of a new event."""
    rows = _member(text, hooks[0], event)
    said = json.dumps(group)
    if rows is None:
        inside = text[hooks[0] + 1 : hooks[1] - 1]
        return _appended(
            text, hooks[0], f"{json.dumps(event)}: [{said}]", is_empty=not inside.strip(BLANK), indent="    "
        )
    if text[rows[0]] != "[":
        raise InputError(f'"{event}" is not a list')
    inside = text[rows[0] + 1 : rows[1] - 1]
    return _appended(text, rows[0], said, is_empty=not inside.strip(BLANK), indent="      ")


def _joined(found: list[Insertion]) -> list[Insertion]:
    """Insertions in which those at one place are one."""
    merged: dict[int, str] = {}
    for one in found:
        before = merged.get(one.position)
        if before is None:
            merged[one.position] = one.text
        else:
            merged[one.position] = f"{before},{one.text}" if not one.text.startswith(",") else before + one.text
    return [Insertion(position=position, text=text) for position, text in merged.items()]


def _appended(text: str, start: int, said: str, *, is_empty: bool, indent: str) -> Insertion:
    """A text as the last member of the object or list that begins at a position."""
    end = _end(text, start) - 1
    while text[end - 1] in BLANK:
        end -= 1
    return Insertion(position=end, text=f"\n{indent}{said}" if is_empty else f",\n{indent}{said}")


def _member(text: str, start: int, name: str) -> tuple[int, int] | None:
    """Where the value of an object's member begins and ends."""
    position = _skip(text, start + 1)
    while text[position] != "}":
        key, position = json.JSONDecoder().raw_decode(text, position)
        position = _skip(text, _skip(text, position) + 1)
        end = _end(text, position)
        if key == name:
            return position, end
        position = _skip(text, end)
        if text[position] == ",":
            position = _skip(text, position + 1)
    return None


def _end(text: str, start: int) -> int:
    return json.JSONDecoder().raw_decode(text, start)[1]


def _skip(text: str, position: int) -> int:
    while text[position] in BLANK:
        position += 1
    return position


def _start(text: str) -> int:
    return _skip(text, 0)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _parse(text: str) -> dict[str, Json]:
    try:
        document = json.loads(text)
    except ValueError as error:
        raise InputError(f"it is not valid JSON ({error})") from None
    if not isinstance(document, dict):
        raise InputError("it is not a JSON object")
    return cast("dict[str, Json]", document)
