"""Read a JSON patch into typed edits; an edit that cannot be read becomes a value, so the others still apply."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TypeAlias, assert_never, cast

from metier.errors import InputError
from metier.types import Append, Delete, Edit, InsertAfter, Replace

_FIELDS = ("op", "target", "content", "file")


@dataclass(frozen=True, slots=True, kw_only=True)
class SpareEdit:
    """An append with a target, or a delete with content: reported, and still stopped by a protected target."""

    edit: Append | Delete
    target: str
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownEdit:
    """An edit with an unknown operation."""

    op: str
    target: str = ""
    content: str = ""
    file: str = "SKILL.md"


@dataclass(frozen=True, slots=True, kw_only=True)
class MalformedEdit:
    """Something that is not an edit, in the place of one."""

    error: str


Proposal: TypeAlias = Edit | SpareEdit | UnknownEdit | MalformedEdit
"""An edit as somebody wrote it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedPatch:
    """Edits in the given order, and the reason for them."""

    edits: tuple[Proposal, ...]
    reasoning: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fields:
    """The four texts every edit can be written with."""

    op: str
    target: str
    content: str
    file: str


def parse_patch(text: str | bytes) -> ProposedPatch:
    """The patch in a JSON text; an InputError if it is not a patch. One malformed edit is a value, not an error."""
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f'The patch is not JSON ({error}); write {{"edits": [{{"op": "append", …}}]}}.') from error
    return patch_from(value)


def patch_from(value: object) -> ProposedPatch:
    """The patch in a parsed JSON value."""
    if not isinstance(value, dict):
        raise InputError('A patch is an object: {"reasoning": "…", "edits": […]}.')
    fields = cast("dict[str, object]", value)
    edits = fields.get("edits")
    if not isinstance(edits, list):
        raise InputError('A patch needs a list of edits: {"edits": [{"op": "append", "content": "…"}]}.')
    reasoning = fields.get("reasoning")
    return ProposedPatch(
        edits=tuple(parse_edit(edit) for edit in cast("list[object]", edits)),
        reasoning=reasoning if isinstance(reasoning, str) else "",
    )


def parse_edit(value: object) -> Proposal:
    """One edit of a patch; missing fields are empty, unknown fields are ignored."""
    if not isinstance(value, dict):
        return MalformedEdit(error=f"an edit is an object, not {type(value).__name__}")
    fields = cast("dict[str, object]", value)
    texts: dict[str, str] = {}
    for name in _FIELDS:
        text = fields.get(name, "")
        if not isinstance(text, str):
            return MalformedEdit(error=f"{name} must be text, not {type(text).__name__}")
        if not is_unicode(text):
            return MalformedEdit(error=f"{name} holds half a character (a lone surrogate)")
        texts[name] = text
    return _typed(**texts)


def fields_of(proposal: Edit | SpareEdit | UnknownEdit) -> Fields:
    """The texts of an edit; those that its operation does not use are empty."""
    match proposal:
        case Append(content=content, file=file):
            return Fields(op="append", target="", content=content, file=file)
        case InsertAfter(target=target, content=content, file=file):
            return Fields(op="insert_after", target=target, content=content, file=file)
        case Replace(target=target, content=content, file=file):
            return Fields(op="replace", target=target, content=content, file=file)
        case Delete(target=target, file=file):
            return Fields(op="delete", target=target, content="", file=file)
        case SpareEdit(edit=edit, target=target, content=content):
            op = "append" if isinstance(edit, Append) else "delete"
            return Fields(op=op, target=target, content=content, file=edit.file)
        case UnknownEdit(op=op, target=target, content=content, file=file):
            return Fields(op=op, target=target, content=content, file=file)
        case _:
            assert_never(proposal)


def dump_edit(proposal: Edit | SpareEdit | UnknownEdit) -> dict[str, str]:
    """The JSON object that `parse_edit` reads back as the same edit."""
    fields = fields_of(proposal)
    return {name: text for name in _FIELDS if (text := cast("str", getattr(fields, name))) or name == "op"}


def _typed(op: str, target: str, content: str, file: str) -> Proposal:
    file = file or "SKILL.md"
    match op:
        case "append":
            append = Append(content=content, file=file)
            return SpareEdit(edit=append, target=target, content=content) if target else append
        case "insert_after":
            return InsertAfter(target=target, content=content, file=file)
        case "replace":
            return Replace(target=target, content=content, file=file)
        case "delete":
            delete = Delete(target=target, file=file)
            return SpareEdit(edit=delete, target=target, content=content) if content else delete
        case _:
            return UnknownEdit(op=op, target=target, content=content, file=file)


def is_unicode(text: str) -> bool:
    """Whether a text can be written as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
