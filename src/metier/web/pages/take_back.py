"""Taking something back later: the last change of every lesson, draft, case, run and skill, from the audit log."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast
from urllib.parse import quote

from metier.errors import ConflictError, NotFoundError
from metier.learning.stages.reword_lesson import reword_lesson
from metier.library.lessons import get_lesson, publish_lesson, restore_lesson
from metier.library.proposals.drafts import get_draft, reject_draft, reopen_draft
from metier.proof.replay.cases import decide_case, find_case
from metier.runs.verdicts import mark_run
from metier.store.tables import audit as log
from metier.web.answers import Done, action_route

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from metier.runs.verdicts import Mark
    from metier.store.tables.training.cases import CaseStatus
    from metier.types.audit import AuditEntry
    from metier.types.lessons import CheckStep, Lesson, LessonStatus
    from metier.web.answers import Ask
    from metier.web.dashboard import Dashboard

APPROVED = re.compile(r"approve lesson(?: \((observe|remind|deny)\))?")
EDITED = re.compile(r"edit lesson(?: \((observe|remind|deny)\))?")
LESSON_STATES: dict[str, LessonStatus] = {
    "reject lesson": "rejected",
    "forget lesson": "forgotten",
    "pause lesson": "paused",
    "put lesson back to review": "proposed",
}
CASE_STATES: dict[str, CaseStatus] = {"accept case": "accepted", "reject case": "rejected", "reopen case": "proposed"}
MARKS: dict[str, Mark] = {"mark good": "good", "mark bad": "bad", "mark unset": "unset"}
UNDONE = "take back decision on lesson"


@dataclass(frozen=True, slots=True, kw_only=True)
class WayBack:
    """How an action can be taken back now."""

    words: str
    act: Callable[[], Done] | None = None
    link: str = ""
    """The page on which it is done, where one should look first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonState:
    """What a decision made of a lesson."""

    status: LessonStatus
    step: CheckStep | None = None


def ways_back(board: Dashboard, entries: Sequence[AuditEntry]) -> dict[int, WayBack]:
    """How to take back each of these actions, by its number: only the last one on a thing can be."""
    known = [one for one in entries if _way_of(one.action) is not None]
    with board.context.store.read() as transaction:
        newest = log.last_about(transaction, list(dict.fromkeys(map(_thing, known))))
        last = [one for one in known if newest.get(_thing(one)) == one.sequence]
        every = log.list_about(transaction, *map(_thing, last))
    found: dict[int, WayBack] = {}
    for one in last:
        way, past = _way_of(one.action), [other for other in every if _thing(other) == _thing(one)]
        if way is not None and (back := _if_there(way, board, one, past)) is not None:
            found[one.sequence] = back
    return found


def take_back_entry(board: Dashboard, ask: Ask) -> Done:
    """Take back an action of the audit log, provided it is still the last one on its thing."""
    name = ask.values["entry"]
    number = int(name) if name.isascii() and name.isdigit() and len(name) < 16 else 0
    with board.context.store.read() as transaction:
        entry = log.get(transaction, number)
    back = ways_back(board, [entry]).get(number)
    if back is None or back.act is None:
        raise ConflictError("This cannot be taken back here: something changed it since. Nothing was changed.")
    return back.act()


def _thing(entry: AuditEntry) -> str:
    """The name or id that an action is about."""
    return entry.subject.partition(" ")[0]


def _if_there(way: Way, board: Dashboard, entry: AuditEntry, past: Sequence[AuditEntry]) -> WayBack | None:
    """A way back, unless what it is about was removed meanwhile."""
    try:
        return way(board, entry, past)
    except NotFoundError:
        return None


def _way_of(action: str) -> Way | None:
    """What knows how to take such an action back."""
    if EDITED.fullmatch(action):
        return _lesson_edit
    if action.startswith("publish lesson in "):
        return _publication
    if action in LESSON_STATES or APPROVED.fullmatch(action):
        return _lesson_decision
    if action in CASE_STATES:
        return _case_decision
    if action in MARKS:
        return _mark
    if action == "reject draft":
        return _draft_rejection
    return _skill_change if action.startswith("skill ") else None


def _lesson_decision(board: Dashboard, entry: AuditEntry, past: Sequence[AuditEntry]) -> WayBack | None:
    lesson = get_lesson(board.context, _thing(entry))
    states = _lesson_states(past)
    if len(states) < 2 or states[-1].status != lesson.status:
        return None
    before = _as_in(board, lesson, states[-2])
    words = "Put back to review" if before.status == "proposed" else "Take back"
    return WayBack(words=words, act=lambda: _restore(board, lesson, before))


def _lesson_states(past: Iterable[AuditEntry]) -> list[LessonState]:
    """What a lesson was after each decision that still stands, the oldest first."""
    states = [LessonState(status="proposed")]
    for one in past:
        if found := APPROVED.fullmatch(one.action):
            states.append(LessonState(status="approved", step=cast("CheckStep | None", found[1])))
        elif one.action in LESSON_STATES:
            states.append(LessonState(status=LESSON_STATES[one.action]))
        elif found := EDITED.fullmatch(one.action):
            states.append(replace(states[-1], step=cast("CheckStep | None", found[1])))
        elif one.action == UNDONE:
            states = states[:-1] or states
    return states


def _as_in(board: Dashboard, lesson: Lesson, state: LessonState) -> Lesson:
    """A lesson as it was in a state."""
    check = replace(lesson.check, step=state.step) if lesson.check and state.step else lesson.check
    approved = "" if state.status == "proposed" else lesson.approved or board.context.now()
    return replace(lesson, status=state.status, check=check, approved=approved)


def _restore(board: Dashboard, now: Lesson, before: Lesson) -> Done:
    restore_lesson(board.context, before)

    def undo() -> str:
        restore_lesson(board.context, now)
        return f"The lesson is {now.status} again: {now.text}"

    word = "Waits for a decision again" if before.status == "proposed" else f"Is {before.status} again"
    return Done(said=f"{word}: {before.text}", undo=undo)


def _lesson_edit(board: Dashboard, entry: AuditEntry, past: Sequence[AuditEntry]) -> WayBack | None:
    step = _lesson_states(past)[-2:][0].step
    lesson, text = get_lesson(board.context, _thing(entry)), entry.subject.partition(" ")[2]
    if not text or text == lesson.text:
        return None

    def act() -> Done:
        reword_lesson(board.context, lesson.id, text, step)

        def undo() -> str:
            restore_lesson(board.context, lesson)
            return f"Says again: {lesson.text}"

        return Done(said=f"Says again: {text}", undo=undo)

    return WayBack(words="Take back", act=act)


def _publication(board: Dashboard, entry: AuditEntry, past: Sequence[AuditEntry]) -> WayBack | None:
    del past
    lesson = get_lesson(board.context, _thing(entry))
    page = lesson.published
    if not page:
        return None

    def act() -> Done:
        publish_lesson(board.context, lesson.id, "")

        def undo() -> str:
            publish_lesson(board.context, lesson.id, page)
            return f"The lesson stands in {page} again."

        return Done(said=f"Took the lesson out of {page}.", undo=undo)

    return WayBack(words="Take back", act=act)


def _case_decision(board: Dashboard, entry: AuditEntry, past: Sequence[AuditEntry]) -> WayBack | None:
    states: list[CaseStatus] = ["proposed", *(CASE_STATES[one.action] for one in past if one.action in CASE_STATES)]
    before, now, name = states[-2], states[-1], _thing(entry)
    if before == now:
        return None

    def act() -> Done:
        if find_case(board.context, name)[1] != now:
            raise ConflictError(f"Case {name} changed meanwhile. Nothing was changed.")
        decide_case(board.context, name, before)

        def undo() -> str:
            decide_case(board.context, name, now)
            return f"Case {name} is {now} again."

        return Done(said=f"Case {name} is {before} again.", undo=undo)

    return WayBack(words="Take back", act=act)


def _mark(board: Dashboard, entry: AuditEntry, past: Sequence[AuditEntry]) -> WayBack | None:
    marks: list[Mark] = ["unset", *(MARKS[one.action] for one in past if one.action in MARKS)]
    before, now, run = marks[-2], marks[-1], _thing(entry)
    if before == now:
        return None

    def act() -> Done:
        mark_run(board.context, run, before)

        def undo() -> str:
            mark_run(board.context, run, now)
            return f"Run {run[:8]} has your mark again."

        said = f"Removed your mark from run {run[:8]}." if before == "unset" else f"Run {run[:8]} is {before} again."
        return Done(said=said, undo=undo)

    return WayBack(words="Take back", act=act)


def _draft_rejection(board: Dashboard, entry: AuditEntry, past: Sequence[AuditEntry]) -> WayBack | None:
    del past
    draft = get_draft(board.ws.library, _thing(entry))
    if draft.status != "rejected":
        return None

    def act() -> Done:
        now = reopen_draft(board.ws.library, draft.id)

        def undo() -> str:
            reject_draft(board.ws.library, now.id, "")
            return f"The draft for {now.target} is rejected again."

        return Done(said=f"The draft for {now.target} waits for a decision again.", undo=undo)

    return WayBack(words="Put back to review", act=act)


def _skill_change(board: Dashboard, entry: AuditEntry, past: Sequence[AuditEntry]) -> WayBack | None:
    del board, past
    return WayBack(words="Take back …", link=versions_link(_thing(entry).rpartition("/")[2]))


def versions_link(skill: str) -> str:
    """Where a skill's versions are, each with what it would bring back."""
    return f"/skills/{quote(skill, safe='')}#versions"


if TYPE_CHECKING:
    Way = Callable[[Dashboard, AuditEntry, Sequence[AuditEntry]], WayBack | None]

ROUTES = (action_route("/audit/{entry}/take-back", take_back_entry),)
