"""What a hook told an agent, from the note it left in the spool."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast, get_args

from metier.errors import InputError
from metier.formats.strict_json import clean
from metier.types.lessons import ToldHow, ToldLesson

if TYPE_CHECKING:
    from collections.abc import Mapping

    from metier.context.context import Context

ID = re.compile(r"[0-9a-z]{1,64}")
REQUEST = re.compile(r"[0-9a-f]{32}|")
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
MOST = 100
"""Lessons of one note."""


def told_of(ctx: Context, note: Mapping[str, object]) -> tuple[ToldLesson, ...]:
    """The lessons in a note; InputError when it is none."""
    how, request, named = str(note.get("how")), str(note.get("request") or ""), note.get("lessons")
    if how not in get_args(ToldHow) or not REQUEST.fullmatch(request) or not isinstance(named, list):
        raise InputError("the note does not say which lessons an agent was told")
    ids = [str(one) for one in cast("list[object]", named)[:MOST]]
    if not all(ID.fullmatch(one) for one in ids):
        raise InputError("the note names a lesson that cannot be one")
    created = str(note.get("created") or "")
    session = ctx.redact(clean(str(note.get("session") or "")))
    moment = created if MOMENT.fullmatch(created) else ctx.now()
    return tuple(
        ToldLesson(lesson=one, session=session, request=request, how=cast("ToldHow", how), created=moment)
        for one in ids
    )
