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
from metier.review.review import review_line
from metier.store.tables.learning import lessons
from metier.types.lessons import Lesson
from metier.types.reviews import blocks

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
    gone = sorted(known.keys() - {one.id for one in wanted})
    items += [_removed(ctx, membership, here[one]) for one in gone if one in here and _is_in_use(here[one])]
    return LessonPlan(items=tuple(items), after=dict(sorted(after.items())))


def _is_in_use(lesson: Lesson) -> bool:
    """Whether a lesson came from the server and counts here."""
    return lesson.by.startswith(BY) and lesson.status in ("approved", "paused")


def _removed(ctx: Context, membership: Membership, lesson: Lesson) -> TakenLesson:
    """A lesson that the server does not offer any more."""
    now = replace(lesson, status="forgotten", seal="", published="", updated=ctx.now())
    return TakenLesson(text=lesson.text, how="removed", lesson=replace(now, decided_by=by_server(membership)))


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


def _is_own(lesson: Lesson) -> bool:
    return not lesson.by.startswith(BY)


def _was_decided_here(lesson: Lesson, membership: Membership) -> bool:
    """Whether a person here decided on a lesson, their own or one of the server's."""
    if _is_own(lesson):
        return lesson.status != "proposed"
    return lesson.status in ("rejected", "forgotten") and lesson.decided_by != by_server(membership)


def _against(text: str, trigger: str) -> str:
    """What speaks against a line that a server offers; empty: nothing."""
    stopped = [one for part in (text, trigger) for one in review_line(part).findings if blocks(one)]
    if stopped:
        return f"review stops it here ({stopped[0].rule})"
    return "" if 0 < len(text) <= LONGEST else "it is no line of a fair length"


def _planned(ctx: Context, membership: Membership, given: Lesson, there: Lesson | None) -> TakenLesson | None:
    text = " ".join(ctx.redact(clean(given.text)).split())
    if there is not None and _is_own(there) and there.status == "approved" and there.text == text:
        return None
    if there is not None and _was_decided_here(there, membership):
        return TakenLesson(text=text, how="kept", reason=f"you decided on it here: it is {there.status}")
    if against := _against(text, given.trigger):
        return TakenLesson(text=text[:80], how="held", reason=against)
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
