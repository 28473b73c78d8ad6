"""Lessons: all of them by state, kind, scope and subject, and one lesson's story."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from metier.learning.stages.count_checks import count_check
from metier.learning.trace import records
from metier.library.delivery.told import SAID
from metier.library.delivery.ways import way_if_approved, ways_of
from metier.library.lessons import get_lesson, list_lessons
from metier.proof.came_back import came_back
from metier.proof.lesson_story import tokens_told
from metier.proof.obeyed import change_words
from metier.store.tables import audit
from metier.store.tables.learning import told
from metier.text.shell.checks import check_words
from metier.web.answers import Page, page_route
from metier.web.pages.take_back import ways_back
from metier.web.parts import quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.learning.lessons.tally import Tally
    from metier.proof.came_back import Returns
    from metier.types.audit import AuditEntry
    from metier.types.lessons import Lesson
    from metier.web.answers import Ask
    from metier.web.dashboard import Dashboard
    from metier.web.pages.take_back import WayBack
    from metier.web.parts import Quoted

SHOWN = 50
"""Lessons on a page."""
STATES = {
    "proposed": "waits for you",
    "approved": "in use",
    "paused": "paused",
    "written": "already written",
    "rejected": "rejected",
    "forgotten": "out of use",
}
"""What becomes of a lesson, in the order of the list."""
KINDS = ("rule", "fix", "fact")
SCOPES = ("person", "project", "team")
GROUPS = ("state", "subject", "scope", "kind")


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonGroup:
    """Lessons that belong together in the list."""

    title: str
    lessons: tuple[Lesson, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonStory:
    """One lesson from the first sighting until today."""

    lesson: Lesson
    state: str
    quotes: tuple[Quoted, ...]
    is_quote: bool
    way: str
    """How it reaches agents, or would; empty: it is out of use."""
    check: str
    tally: Tally | None
    told: tuple[tuple[str, int], ...]
    """How it was told, in words, and how often."""
    told_last: str
    tokens: int
    """What telling it has cost so far, roughly."""
    change: str
    """How the share of violations changed, in words; empty: nothing was counted yet."""
    returns: Returns | None
    """Whether its trouble came back; None: not looked at yet, or there is nothing that could."""
    decisions: tuple[AuditEntry, ...]
    """The newest first."""
    backs: dict[int, WayBack]
    """How a decision can be taken back, by its number."""


def lessons(board: Dashboard, ask: Ask) -> Page:
    """The list."""
    every = list_lessons(board.context, every=True)
    found = [one for one in every if _fits(one, ask)]
    first = ask.number("from")
    group = ask.text("by") if ask.text("by") in GROUPS else "state"
    found.sort(key=lambda one: _group_key(one, group))
    shown = found[first : first + SHOWN]
    values: dict[str, object] = {
        "groups": _groups(shown, group),
        "total": len(found),
        "every": len(every),
        "waiting": [one.id for one in found if one.is_open],
        "is_filtered": any(ask.text(name) for name in ("q", "state", "kind", "scope", "check")),
        "first": first,
        "more": first + SHOWN if first + SHOWN < len(found) else 0,
        "less": max(0, first - SHOWN),
        "by": group,
        "states": STATES,
        "state_of": state_of,
        "kinds": KINDS,
        "scopes": SCOPES,
        "by_names": GROUPS,
        "tallies": {one.id: _tally(board, one) for one in shown if one.check and one.status == "approved"},
        "story": None,
    }
    if opened := ask.text("open"):
        values |= {"story": lesson_story(board, opened)}
    return Page(template="lessons.html", title="Lessons", values=values)


def lesson(board: Dashboard, ask: Ask) -> Page:
    """One lesson on a page of its own."""
    story = lesson_story(board, ask.id("lesson"))
    return Page(template="lesson.html", title=story.lesson.text[:60], values={"story": story})


def lesson_story(board: Dashboard, name: str) -> LessonStory:
    """One lesson from the first sighting until today."""
    ctx = board.context
    found = get_lesson(ctx, name)
    with ctx.store.read() as transaction:
        times = told.of_lesson(transaction, found.id)
        decided = audit.list_about(transaction, found.id)
    counts: dict[str, int] = {}
    for one in times:
        counts[SAID[one.how]] = counts.get(SAID[one.how], 0) + 1
    tally = _tally(board, found)
    return LessonStory(
        lesson=found,
        state=state_of(found),
        quotes=quoted(found, records(ctx, [one.run for one in found.quotes])),
        is_quote=found.is_quote,
        way=_way(board, found),
        check=check_words(found.check) if found.check else "",
        tally=tally,
        told=tuple(counts.items()),
        told_last=times[-1].created if times else "",
        tokens=tokens_told(found, times, decided),
        change=change_words(tally) if tally and found.approved else "",
        returns=_returns(board, found),
        decisions=tuple(reversed(decided)),
        backs=ways_back(board, decided[-1:]),
    )


def _way(board: Dashboard, lesson: Lesson) -> str:
    if lesson.status in ("rejected", "forgotten", "paused"):
        return ""
    every = list_lessons(board.context)
    found = ways_of(board.context, every).get(lesson.id)
    return (found or way_if_approved(board.context, lesson, every)).text


def state_of(lesson: Lesson) -> str:
    """What became of a lesson, as the list names it."""
    return "written" if lesson.status == "proposed" and lesson.already_written else lesson.status


def _tally(board: Dashboard, lesson: Lesson) -> Tally | None:
    """How calls stood to a lesson's check, as far as it was counted by now."""
    if lesson.check is None:
        return None
    stamp = (board.live.stamps()["runs"], lesson.check, lesson.approved)
    return board.figures.get(f"tally {lesson.id}", stamp, lambda: count_check(board.context, lesson), slow=True)


def _returns(board: Dashboard, lesson: Lesson) -> Returns | None:
    """Whether a lesson's trouble came back, as far as it was looked at by now."""
    if not lesson.approved:
        return None
    stamp = (board.live.stamps()["runs"], lesson.approved, lesson.text)
    return board.figures.get(f"returns {lesson.id}", stamp, lambda: came_back(board.context, lesson), slow=True)


def _fits(lesson: Lesson, ask: Ask) -> bool:
    words = ask.text("q").casefold().split()
    text = f"{lesson.text} {lesson.subject} {lesson.trigger}".casefold()
    asked = (ask.text("state"), ask.text("kind"), ask.text("scope"))
    has = (state_of(lesson), lesson.kind, lesson.scope)
    checked = ask.text("check")
    return (
        all(not one or one == other for one, other in zip(asked, has, strict=True))
        and all(word in text for word in words)
        and (not checked or (lesson.check is not None) == (checked == "yes"))
    )


def _group_key(lesson: Lesson, group: str) -> tuple[object, ...]:
    return (_place(lesson, group), -lesson.strength, lesson.text)


def _place(lesson: Lesson, group: str) -> object:
    if group == "state":
        return list(STATES).index(state_of(lesson))
    return _title(lesson, group)


def _title(lesson: Lesson, group: str) -> str:
    if group == "state":
        return STATES[state_of(lesson)]
    return {"subject": lesson.subject, "scope": lesson.scope, "kind": lesson.kind}[group]


def _groups(shown: Sequence[Lesson], group: str) -> list[LessonGroup]:
    titles = list(dict.fromkeys(_title(one, group) for one in shown))
    return [
        LessonGroup(title=title, lessons=tuple(one for one in shown if _title(one, group) == title)) for title in titles
    ]


ROUTES = (page_route("/lessons", lessons), page_route("/lessons/{lesson}", lesson))
