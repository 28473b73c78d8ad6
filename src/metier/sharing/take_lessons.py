"""Lessons from a server: verified, reviewed here too, and in use in one transaction; a no said here stays a no."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from metier.context.audit import note_action
from metier.errors import RefusedError
from metier.formats.strict_json import clean
from metier.formats.value_json import loads
from metier.library.delivery.notes_file import lesson_seal, refresh_notes
from metier.library.lessons import LONGEST
from metier.review.line import review_line
from metier.review.result import blocks
from metier.store.tables.learning import lessons
from metier.types.lessons import Lesson

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from metier.context.context import Context
    from metier.sharing.manifest import OfferedLesson
    from metier.sharing.membership import Membership

BY = "server:"
"""How the name of what found a lesson begins if it came from a server."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenLesson:
    """What becomes of one lesson."""

    text: str
    how: Literal["new", "updated", "removed", "held", "kept"]
    reason: str = ""
    lesson: Lesson | None = None
    """As it is to be kept; None: nothing is changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonPlan:
    """What becomes of all of them."""

    items: tuple[TakenLesson, ...] = ()
    after: dict[str, str] = field(default_factory=dict[str, str])
    """The lessons that will have come from the server, with their hashes."""


def plan_lessons(
    ctx: Context, membership: Membership, wanted: Sequence[OfferedLesson], fetch: Callable[[str], bytes]
) -> LessonPlan:
    """What is to become of the lessons that are offered, and of those that are not any more."""
    with ctx.store.read() as transaction:
        here = {one.id: one for one in lessons.list_all(transaction)}
    known = dict(membership.lessons)
    items: list[TakenLesson] = []
    after: dict[str, str] = {}
    for offered in wanted:
        there = here.get(offered.id)
        if known.get(offered.id) == offered.hash and there is not None:
            after[offered.id] = offered.hash
            continue
        item = _planned(ctx, membership, _parse(offered, fetch(offered.hash)), there)
        items += [item] if item else []
        if item is None or item.lesson is not None:
            after[offered.id] = offered.hash
    for gone in sorted(known.keys() - {one.id for one in wanted}):
        found = here.get(gone)
        if found is not None and found.by.startswith(BY) and found.status in ("approved", "paused"):
            now = replace(found, status="forgotten", seal="", published="", updated=ctx.now())
            now = replace(now, decided_by=by_server(membership))
            items.append(TakenLesson(text=found.text, how="removed", lesson=now))
    return LessonPlan(items=tuple(items), after=dict(sorted(after.items())))


def take_lessons(ctx: Context, membership: Membership, plan: LessonPlan) -> tuple[TakenLesson, ...]:
    """Carry a plan out: all of it or nothing."""
    changed = [one.lesson for one in plan.items if one.lesson is not None]
    if changed:
        with ctx.store.write() as transaction:
            lessons.put(transaction, changed)
            for one in changed:
                note_action(transaction, ctx, f"sync lesson ({one.status})", f"{one.id} {one.text}", membership.host)
        refresh_notes(ctx)
    return plan.items


def by_server(membership: Membership) -> str:
    """Who took a lesson out that the server does not offer any more."""
    return f"{membership.host} (sync)"


def _parse(offered: OfferedLesson, raw: bytes) -> Lesson:
    try:
        found = loads(Lesson, raw.decode())
    except ValueError:
        raise RefusedError("The server's manifest names a lesson that is none. Nothing was taken.") from None
    if found.id != offered.id or found.scope != offered.scope or found.status != "approved":
        raise RefusedError("The server's manifest names a lesson that is another one. Nothing was taken.")
    return found


def _planned(ctx: Context, membership: Membership, given: Lesson, there: Lesson | None) -> TakenLesson | None:
    text = " ".join(ctx.redact(clean(given.text)).split())
    if there is not None and not there.by.startswith(BY):
        if there.status == "approved" and there.text == text:
            return None
        if there.status != "proposed":
            return TakenLesson(text=text, how="kept", reason=f"you decided on it here: it is {there.status}")
    is_no = there is not None and there.by.startswith(BY) and there.status in ("rejected", "forgotten")
    if there is not None and is_no and there.decided_by != by_server(membership):
        return TakenLesson(text=text, how="kept", reason=f"you decided on it here: it is {there.status}")
    stopped = [one for part in (text, given.trigger) for one in review_line(part).findings if blocks(one)]
    if stopped or not text or len(text) > LONGEST:
        why = f"review stops it here ({stopped[0].rule})" if stopped else "it is no line of a fair length"
        return TakenLesson(text=text[:80], how="held", reason=why)
    now = replace(
        given,
        workspace=ctx.name,
        text=text,
        trigger=ctx.redact(clean(given.trigger)),
        quotes=(),
        by=f"{BY}{membership.key[:16]}",
        decided_by=ctx.redact(clean(f"{given.decided_by} at {membership.host}")),
        note="",
        published="",
        already_written="",
        updated=ctx.now(),
    )
    sealed = replace(now, seal=lesson_seal(ctx, now))
    return TakenLesson(text=text, how="updated" if there is not None else "new", lesson=sealed)
