"""Runs: search and filters, and one run as a readable conversation."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Literal

from metier.errors import InputError
from metier.learning.trace import trail
from metier.library.delivery.told import SAID, told_in_run
from metier.library.lessons import get_lesson, list_lessons
from metier.library.proposals.drafts import get_draft
from metier.runs.queries import get_run, get_verdict
from metier.runs.verdicts import mark_run
from metier.runs.wording import who_says
from metier.store.tables.runs import listing
from metier.store.tables.runs.listing import RunFilter
from metier.web.answers import Done, Page, action_route, page_route
from metier.web.conversation import conversation, count_redactions
from metier.web.pages.waiting import every_draft

if TYPE_CHECKING:
    from metier.learning.trace import Trail
    from metier.library.delivery.told import ToldLine
    from metier.runs.verdicts import Mark
    from metier.store.tables.runs.listing import Outcome
    from metier.types import Draft, Record
    from metier.types.lessons import Lesson
    from metier.web.answers import Ask
    from metier.web.conversation import Turn
    from metier.web.dashboard import Dashboard

SHOWN = 50
"""Runs on a page."""
OUTCOMES: dict[str, Outcome | Literal[""]] = {"": "", "good": "good", "failed": "failed", "unknown": "unknown"}
PERIODS = {"1": "today", "7": "7 days", "30": "30 days", "90": "90 days"}
MARKS: dict[str, Mark] = {"good": "good", "bad": "bad", "unset": "unset"}
SAID_OF: dict[Mark, str] = {"good": "as good", "bad": "as failed", "unset": "as you left it before"}


@dataclass(frozen=True, slots=True, kw_only=True)
class RunView:
    """One run with all that is known of it."""

    record: Record
    by: str
    reason: str
    turns: tuple[Turn, ...]
    told: tuple[ToldLine, ...]
    went: Trail
    lessons: tuple[Lesson, ...]
    """Lessons that quote it."""
    drafts: tuple[Draft, ...]
    """Drafts that were made from it."""
    redacted: int
    marked: bool
    """Whether a person said how it went."""
    loaded: tuple[str, ...]
    """Skills that were seen and not used."""
    told_words: dict[str, str]


def runs(board: Dashboard, ask: Ask) -> Page:
    """The list."""
    words, wanted, why = ask.text("q"), _filter(board, ask), _why(board, ask)
    below = ask.number("before")
    with board.context.store.read() as transaction:
        if words:
            found = listing.search_lines(transaction, words, wanted, below=below, limit=SHOWN + 1)
        else:
            found = listing.list_lines(transaction, wanted, below=below, limit=SHOWN + 1)
    stamp = board.live.stamps()["runs"]
    values: dict[str, object] = {
        "lines": found[:SHOWN],
        "older": found[SHOWN - 1].sequence if len(found) > SHOWN else 0,
        "words": words,
        "why": why,
        "total": None if words else _total(board, wanted, stamp),
        "agents": board.figures.get("agents", stamp, lambda: _agents(board)) or [],
        "outcomes": tuple(filter(None, OUTCOMES)),
        "periods": PERIODS,
        "is_filtered": bool(words or why) or wanted != RunFilter(),
        "is_narrowed": bool(why) or wanted != RunFilter(),
        "single": list(dict.fromkeys(words.split())),
        "view": None,
    }
    if opened := ask.text("open"):
        values |= {"view": run_view(board, opened)}
    return Page(template="runs.html", title="Runs", values=values)


def run(board: Dashboard, ask: Ask) -> Page:
    """One run on a page of its own."""
    view = run_view(board, ask.id("run"), every_step=ask.text("steps") == "all")
    return Page(template="run.html", title=view.record.summary[:60], values={"view": view})


def run_view(board: Dashboard, name: str, *, every_step: bool = False) -> RunView:
    """One run with all that is known of it."""
    ctx = board.context
    record = get_run(ctx, name)
    verdict = get_verdict(ctx, record.id)
    by, reason = who_says(record, verdict)
    lessons = [one for one in list_lessons(ctx, every=True) if any(quote.run == record.id for quote in one.quotes)]
    skills = record.run.skills
    seen = (*skills.active, *skills.attempted, *(one.name for one in skills.shown))
    return RunView(
        record=record,
        by=by,
        reason=reason,
        turns=conversation(record.run, lessons, every_step=every_step),
        told=tuple(told_in_run(ctx, record)),
        went=trail(ctx, record.id),
        lessons=tuple(lessons),
        drafts=tuple(one for one in every_draft(board) if record.id in one.provenance.runs),
        redacted=count_redactions(record),
        marked=verdict is not None and verdict.judge == "person",
        loaded=tuple(name for name in dict.fromkeys(seen) if name not in record.used),
        told_words=SAID,
    )


def mark(board: Dashboard, ask: Ask) -> Done:
    """Say how a run went."""
    word = MARKS.get(ask.sent("mark"))
    if word is None:
        raise InputError("A run is marked good, bad or unset.")
    before = get_verdict(board.context, get_run(board.context, ask.id("run")).id)
    done = mark_run(board.context, ask.id("run"), word, ask.sent("reason"))
    last: Mark = "unset" if before is None or before.judge != "person" else "good" if before.success else "bad"

    def undo() -> str:
        mark_run(board.context, done.id, last)
        return f"Run {done.id[:8]} counts {SAID_OF[last]}."

    said = f"Removed your mark from run {done.id[:8]}." if word == "unset" else f"Marked the run {SAID_OF[word]}."
    return Done(said=said, undo=undo, command=f"metier runs mark {done.id[:8]} {last}")


def _filter(board: Dashboard, ask: Ask) -> RunFilter:
    days = ask.text("days")
    since = (board.context.clock() - timedelta(days=int(days))).isoformat()[:19] if days in PERIODS else ""
    return RunFilter(
        agent=ask.text("agent"),
        outcome=OUTCOMES.get(ask.text("outcome"), ""),
        session=ask.text("session"),
        skill=ask.text("skill"),
        since=since,
        ids=_ids(board, ask),
    )


def _ids(board: Dashboard, ask: Ask) -> tuple[str, ...] | None:
    """The runs behind a draft or a lesson, if the address names one."""
    if draft := ask.text("draft"):
        return get_draft(board.ws.library, draft).provenance.runs
    if lesson := ask.text("lesson"):
        return tuple(dict.fromkeys(one.run for one in get_lesson(board.context, lesson).quotes))
    return None


def _why(board: Dashboard, ask: Ask) -> str:
    """What the list is limited to beyond the filters that are shown, in words."""
    parts = [f"the draft {draft[:12]} was made from" for draft in filter(None, [ask.text("draft")])]
    parts += [
        f"the lesson “{get_lesson(board.context, lesson).text[:80]}” rests on"
        for lesson in filter(None, [ask.text("lesson")])
    ]
    parts += [f"of the session {session[:60]}" for session in filter(None, [ask.text("session")])]
    parts += [f"in which {skill[:64]} did the work" for skill in filter(None, [ask.text("skill")])]
    return " and ".join(parts)


def _total(board: Dashboard, wanted: RunFilter, stamp: str) -> int | None:
    def compute() -> int:
        with board.context.store.read() as transaction:
            return listing.count_lines(transaction, wanted)

    return board.figures.get(f"runs {hash(wanted)}", (stamp, wanted), compute)


def _agents(board: Dashboard) -> list[tuple[str, int]]:
    with board.context.store.read() as transaction:
        return listing.count_agents(transaction)


ROUTES = (page_route("/runs", runs), page_route("/runs/{run}", run), action_route("/runs/{run}/mark", mark))
