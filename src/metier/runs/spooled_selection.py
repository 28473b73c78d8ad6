"""A selection that a hook made, from the note it left in the spool."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

from metier.errors import InputError
from metier.formats.strict_json import clean
from metier.hooks.trial import WITH, WITHOUT
from metier.types import Candidate, Selection
from metier.types.selections import Assignment

if TYPE_CHECKING:
    from collections.abc import Mapping

    from metier.context.context import Context
    from metier.types.selections import Arm

ID = re.compile(r"[0-9a-f]{32}")
MOST = 100
"""Skills of one selection."""


def selection_of(ctx: Context, note: Mapping[str, object]) -> Selection:
    """The selection in a note; InputError when it is none."""
    name = str(note.get("id"))
    if not ID.fullmatch(name):
        raise InputError("the selection has no id")
    handed, withheld = _candidates(note.get("chosen")), _candidates(note.get("withheld"))
    names = tuple(one.skill for one in handed)
    pinned = note.get("pinned")
    return Selection(
        id=name,
        workspace=ctx.name,
        query=ctx.redact(clean(str(note.get("query") or ""))),
        candidates=(*handed, *withheld),
        chosen=names,
        chosen_hashes=tuple(one.hash for one in handed),
        pinned=tuple(one for one in names if one in pinned) if isinstance(pinned, list) else (),
        withheld=withheld,
        trials=_assignments(note.get("trials")),
        stages=(f"hook: {len(names)} by score ({', '.join(names)})",),
        agent=ctx.redact(clean(str(note.get("agent") or ""))),
        session=ctx.redact(clean(str(note.get("session") or ""))),
        created=_moment(ctx, note),
    )


def _candidates(value: object) -> tuple[Candidate, ...]:
    rows = cast("list[object]", value)[:MOST] if isinstance(value, list) else []
    fields = [cast("Mapping[str, object]", row) for row in rows if isinstance(row, dict)]
    try:
        return tuple(
            Candidate(
                skill=clean(str(one["skill"])), hash=clean(str(one["hash"])), score=float(cast("float", one["score"]))
            )
            for one in fields
        )
    except (KeyError, TypeError, ValueError):
        raise InputError("the selection names no skills") from None


def _assignments(value: object) -> tuple[Assignment, ...]:
    rows = cast("list[object]", value)[:MOST] if isinstance(value, list) else []
    fields = [cast("Mapping[str, object]", row) for row in rows if isinstance(row, dict)]
    return tuple(
        Assignment(
            trial=clean(str(one.get("trial"))), skill=clean(str(one.get("skill"))), arm=cast("Arm", one.get("arm"))
        )
        for one in fields
        if one.get("arm") in (WITH, WITHOUT)
    )


def _moment(ctx: Context, note: Mapping[str, object]) -> str:
    """When it was made, as the hook's clock said it."""
    made = str(note.get("created") or "")
    return made if re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", made) else ctx.now()
