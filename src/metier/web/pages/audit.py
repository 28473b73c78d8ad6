"""Audit, settings and costs on one plain page: who did what, what is set and where, what models cost this week."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING
from urllib.parse import quote

from metier.config.safe_values import safe_setting
from metier.context.audit import subject_words, way_words
from metier.learning.stages.digest import DAYS
from metier.store.tables import audit as log
from metier.store.tables.models import calls
from metier.store.tables.models.ledger import SpentSum
from metier.training.report.tables import STAGES
from metier.types.reviews import OPEN
from metier.web.answers import ID, Page, page_route
from metier.web.pages.take_back import ways_back
from metier.web.pages.waiting import every_draft
from metier.web.parts import answers_in_words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from metier.types import Draft
    from metier.types.audit import AuditEntry
    from metier.web.answers import Ask
    from metier.web.dashboard import Dashboard
    from metier.web.pages.take_back import WayBack

SHOWN = 50
"""Actions on a page."""
CALLS = 1000
"""Calls of models on a page."""
ABOUT = {"skills": "skill ", "lessons": "lesson", "drafts": "draft", "runs": "mark", "cases": "case", "trials": "trial"}
"""What actions are about, and a word that stands in their names."""
LEARNING = {
    "judge": "did runs reach their goal?",
    "cluster": "runs of one meaning",
    "draft": "drafts of skills",
    "lessons": "lessons from what was said",
}
CHOOSING = {"shortlist": "skills for a task, first look", "final": "skills for a task, second look"}
KINDS = {"Learning": LEARNING, "Selecting skills": CHOOSING, "Training": STAGES}
"""What models are asked for, with what each purpose means."""
PURPOSES = {name: words for known in KINDS.values() for name, words in known.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditLine:
    """An action, and the page of what it was done to."""

    entry: AuditEntry
    subject: str
    link: str
    """Empty: there is no page for it."""
    way: str
    """How a yes came that a person may not know of."""
    back: WayBack | None
    """How it can be taken back; None: it is not the last change of its thing, or it changed nothing that lasts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingLine:
    """A setting in effect."""

    name: str
    value: str
    source: str

    @property
    def is_set(self) -> bool:
        """Whether somebody set it."""
        return self.source != "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class WeekCosts:
    """What models cost in the last days."""

    total: SpentSum
    answers: str
    """Who answered, and how often."""
    kinds: tuple[tuple[str, SpentSum], ...]
    """What for, in a word, and its sum."""
    days: tuple[tuple[str, str, SpentSum], ...]
    """Day, purpose and sum, the newest day first."""


def audit(board: Dashboard, ask: Ask) -> Page:
    """The page."""
    with board.context.store.read() as transaction:
        about = ABOUT.get(ask.text("about"), "")
        found = log.list_newest(transaction, SHOWN + 1, ask.number("before"), about=about)
    drafts = {one.id: one for one in every_draft(board)}
    backs = ways_back(board, found[:SHOWN])
    values: dict[str, object] = {
        "lines": [_line(one, drafts, backs.get(one.sequence)) for one in found[:SHOWN]],
        "older": found[SHOWN - 1].sequence if len(found) > SHOWN else 0,
        "settings": _settings(board),
        "costs": _costs(board),
        "days": DAYS,
        "abouts": ABOUT,
        "purposes": PURPOSES,
    }
    return Page(template="audit.html", title="Audit & costs", values=values)


def model_calls(board: Dashboard, ask: Ask) -> Page:
    """The calls of models behind a sum: of the last days, of one day, for one purpose."""
    since = (board.context.clock() - timedelta(days=DAYS)).isoformat()
    day, purpose = ask.text("day"), ask.query.get("for")
    with board.context.store.read() as transaction:
        found = calls.list_since(transaction, day or since, CALLS)
    shown = [one for one in found if one.happened.startswith(day) and purpose in (None, one.stage)]
    values: dict[str, object] = {"calls": shown[::-1], "day": day, "purpose": purpose, "days": DAYS, "most": CALLS}
    values |= {"purposes": PURPOSES}
    return Page(template="calls.html", title="Calls of models", values=values)


def _line(entry: AuditEntry, drafts: Mapping[str, Draft], back: WayBack | None) -> AuditLine:
    first = entry.subject.partition(" ")[0]
    draft = drafts.get(first)
    subject = draft.target.rpartition("/")[2] if draft else subject_words(entry)
    return AuditLine(
        entry=entry, subject=subject, link=_link(entry.action, first, draft), way=way_words(entry), back=back
    )


def _link(action: str, subject: str, draft: Draft | None) -> str:
    """The page of what an action was done to."""
    if action.startswith("skill "):
        return f"/skills/{quote(subject.rpartition('/')[2], safe='')}"
    if action.endswith(" case"):
        return f"/proof/cases/{quote(subject, safe='')}"
    if not ID.fullmatch(subject):
        return ""
    if "lesson" in action:
        return f"/lessons/{subject}"
    if "draft" in action or action.startswith("replay: "):
        status = draft.status if draft else ""
        shown = "/?item=" if status in OPEN else "/?show=rejected&item=" if status == "rejected" else "/runs?draft="
        return f"{shown}{subject}"
    is_run = action.startswith(("mark ", "agent marks ", "readmit run"))
    return f"/runs/{subject}" if is_run else ""


def _settings(board: Dashboard) -> list[SettingLine]:
    """The settings in effect, those that somebody set first."""
    settings = board.context.settings
    values = settings.config.flat()
    lines = [
        SettingLine(
            name=name, value=json.dumps(safe_setting(name, values[name]), ensure_ascii=False), source=str(source)
        )
        for name, source in settings.sources.items()
    ]
    return sorted(lines, key=lambda one: not one.is_set)


def _costs(board: Dashboard) -> WeekCosts:
    since = (board.context.clock() - timedelta(days=DAYS)).isoformat()
    with board.context.store.read() as transaction:
        total, days = calls.sum_since(transaction, since), calls.sum_by_day(transaction, since)
        answers = answers_in_words(calls.count_by_model(transaction, since))
    kinds: dict[str, SpentSum] = {}
    for _, purpose, found in days:
        kind = next((name for name, known in KINDS.items() if purpose in known), "Other")
        kinds[kind] = _plus(kinds.get(kind, SpentSum()), found)
    return WeekCosts(total=total, answers=answers, kinds=tuple(sorted(kinds.items())), days=tuple(days))


def _plus(one: SpentSum, other: SpentSum) -> SpentSum:
    return SpentSum(
        calls=one.calls + other.calls,
        tokens=one.tokens + other.tokens,
        usd=one.usd + other.usd,
        unpriced=one.unpriced + other.unpriced,
    )


ROUTES = (page_route("/audit", audit), page_route("/audit/calls", model_calls))
