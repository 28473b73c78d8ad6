"""Review, the home page: what needs a decision, one card at a time, and the last week in three lines."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from metier.errors import MetierError
from metier.learning.stages.digest import DAYS, digest_of
from metier.learning.trace import origin, records
from metier.library.delivery.ways import way_if_approved
from metier.library.lessons import get_lesson
from metier.library.proposals.drafts import get_draft, newly_allowed, proposed_change, stopped_by
from metier.library.proposals.edit_draft import EDITED, draft_document
from metier.skills.diff import changes
from metier.skills.package import Package
from metier.store.tables.models import calls
from metier.text.shell.checks import check_words
from metier.types.reviews import blocks
from metier.web.answers import Page, page_route
from metier.web.pages.waiting import is_blocked, waiting_queue
from metier.web.parts import Quoted, answers_in_words, diff_files, quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.learning.stages.digest import Digest
    from metier.store.tables.models.ledger import SpentSum
    from metier.types import Draft, Record
    from metier.types.lessons import Lesson
    from metier.web.answers import Ask
    from metier.web.dashboard import Dashboard
    from metier.web.pages.waiting import WaitingItem
    from metier.web.parts import DiffFile

QUEUE = 60
"""Items in the list beside the card."""
QUOTES, RUNS = 20, 5
"""Quotes that are looked up for a card, and runs that are named on it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonCard:
    """A lesson with all that a person needs to decide."""

    lesson: Lesson
    quotes: tuple[Quoted, ...]
    records: tuple[Record, ...]
    """Runs that show it, as far as they are still there."""
    told: str
    check: str
    """What calls are held to, in words; empty: nothing."""
    is_quote: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftCard:
    """A draft with all that a person needs to decide."""

    draft: Draft
    edited: bool
    """Whether a person wrote its text."""
    blocked: bool
    stopped_by: str
    """What review found that stops it, by the names of its rules."""
    why_not: str
    """Why it is held back, in a sentence; empty: it is not."""
    allows: tuple[str, ...]
    """What it newly lets an agent do, in words."""
    files: tuple[DiffFile, ...]
    problem: str
    """Why it cannot be shown as a diff; empty: it can."""
    document: str
    records: tuple[Record, ...]
    missing: int
    """Runs it was made from that were deleted since."""
    pattern: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Week:
    """The last seven days."""

    digest: Digest
    spent: SpentSum
    answers: str
    """Who answered, and how often."""
    applies: int
    violated: int
    denied: int


def review(board: Dashboard, ask: Ask) -> Page:
    """The home page."""
    queue = waiting_queue(board, ask.text("show"))
    items = queue.items
    place = _place(items, ask.text("item"))
    values: dict[str, object] = {
        "waits": queue,
        "items": items,
        "queue": _around(items, place),
        "place": place,
        "current": items[place] if items else None,
        "before": items[place - 1] if place > 0 else None,
        "after": items[place + 1] if place + 1 < len(items) else None,
        "week": board.figures.get("week", _week_stamp(board), lambda: week_of(board), slow=True),
        "card": None,
        "has_runs": bool(queue.every) or bool(board.ws.runs(1)),
    }
    if items:
        stamp = (items[place].id, board.live.stamps()["review"], board.live.stamps()["skills"])
        values |= {"card": board.recall.get("card", stamp, lambda: _card(board, items[place]))}
    return Page(template="review.html", title="Review", values=values)


def week_of(board: Dashboard) -> Week:
    """What was obeyed, what came back and what it cost in the last days."""
    found = digest_of(board.context)
    since = (board.context.clock() - timedelta(days=DAYS)).isoformat()
    with board.context.store.read() as transaction:
        spent, answered = calls.sum_since(transaction, since), calls.count_by_model(transaction, since)
    rates = [rate for _, rate in found.checked]
    return Week(
        digest=found,
        spent=spent,
        answers=answers_in_words(answered),
        applies=sum(one.applies for one in rates),
        violated=sum(one.violated for one in rates),
        denied=sum(one.denied for one in rates),
    )


def _week_stamp(board: Dashboard) -> tuple[str, ...]:
    """Stands for all that a week's figures depend on; they are worked out anew each hour, too."""
    stamps = board.live.stamps()
    return (stamps["runs"], stamps["lessons"], stamps["audit"], f"{board.context.clock():%F %H}")


def _place(items: Sequence[WaitingItem], wanted: str) -> int:
    """Where an item is in the queue; one that was decided meanwhile leaves the place to the first."""
    return next((place for place, one in enumerate(items) if wanted and one.id.startswith(wanted)), 0)


def _around(items: Sequence[WaitingItem], place: int) -> list[tuple[int, WaitingItem]]:
    """The items that the list beside the card shows: those around its place, if there are many."""
    first = max(0, min(place - QUEUE // 2, len(items) - QUEUE))
    return list(enumerate(items))[first : first + QUEUE]


def _card(board: Dashboard, item: WaitingItem) -> LessonCard | DraftCard:
    if item.kind == "lesson":
        return lesson_card(board, get_lesson(board.context, item.id))
    return draft_card(board, get_draft(board.ws.library, item.id))


def lesson_card(board: Dashboard, lesson: Lesson) -> LessonCard:
    """All that a person needs to decide on a lesson."""
    found = records(board.context, list(dict.fromkeys(one.run for one in lesson.quotes))[:QUOTES])
    return LessonCard(
        lesson=lesson,
        quotes=quoted(lesson, found),
        records=tuple(found.values())[:RUNS],
        told=way_if_approved(board.context, lesson, board.ws.lessons()).text,
        check=check_words(lesson.check) if lesson.check else "",
        is_quote=lesson.is_quote,
    )


def draft_card(board: Dashboard, draft: Draft) -> DraftCard:
    """All that a person needs to decide on a draft."""
    library = board.ws.library
    taught = origin(board.context, draft)
    problem, files, document = "", (), ""
    try:
        change = proposed_change(library, draft)
        files = diff_files(changes(change.before or Package(files={}), change.after))
        document = draft_document(library, draft)
    except MetierError as error:
        problem = str(error)
    return DraftCard(
        draft=draft,
        edited=draft.summary == EDITED,
        blocked=is_blocked(draft),
        stopped_by=stopped_by(draft),
        why_not=_why_not(draft),
        allows=newly_allowed(library, draft),
        files=files,
        problem=problem,
        document=document,
        records=taught.records[-RUNS:],
        missing=len(draft.provenance.runs) - len(taught.records),
        pattern=taught.pattern.label if taught.pattern else "",
    )


def _why_not(draft: Draft) -> str:
    """Why a draft is held back, in a sentence."""
    if reasons := [one.reason for one in draft.findings if blocks(one)]:
        return min(reasons, key=len)
    return f"{draft.objection.rstrip('.')}." if draft.objection else ""


ROUTES = (page_route("/", review),)
