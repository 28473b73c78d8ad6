"""What waits for a decision: every lesson and draft in the order of the queue, and what looks like noise."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from metier.library.lessons import list_lessons
from metier.library.proposals.drafts import list_drafts
from metier.types.reviews import OPEN, blocks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.types import Draft
    from metier.types.lessons import Lesson
    from metier.web.dashboard import Dashboard

ABOVE = 5
"""Lessons before the first draft."""
WEAK = 0.5
"""Strength below which a lesson looks like noise."""
FEW = 3
"""Runs from which on a draft has enough behind it."""
REJECTED = 200
"""Rejected things that are shown, the newest."""
Shown = Literal["all", "weak", "blocked", "rejected"]
SHOWN: dict[str, Shown] = {"weak": "weak", "blocked": "blocked", "rejected": "rejected"}


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingItem:
    """Something that waits for a decision, as the queue shows it."""

    kind: Literal["lesson", "draft"]
    id: str
    line: str
    note: str
    weak: str = ""
    """Why it looks like noise; empty: it does not."""
    blocked: bool = False
    """Whether review stopped it; that is no noise, but perhaps an attack."""

    @property
    def doubt(self) -> str:
        """What speaks against it, in a few words; empty: nothing."""
        return "blocked by review" if self.blocked else self.weak

    @property
    def told(self) -> str:
        """The item in a line, with what speaks against it."""
        return f"{self.line} ({self.doubt})" if self.doubt else self.line


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingQueue:
    """Everything that waits, and the part of it that the address asks for."""

    shown: Shown
    items: tuple[WaitingItem, ...]
    """What the address asks for."""
    every: tuple[WaitingItem, ...]
    """All that waits for a decision."""
    rejected: int
    """Rejected lessons and drafts."""

    @property
    def weak(self) -> tuple[WaitingItem, ...]:
        """What looks like noise."""
        return tuple(one for one in self.every if one.weak)

    @property
    def blocked(self) -> tuple[WaitingItem, ...]:
        """What review stopped."""
        return tuple(one for one in self.every if one.blocked)


def waiting_queue(board: Dashboard, shown: str) -> WaitingQueue:
    """What waits, filtered as the address asks."""
    lessons = list_lessons(board.context, every=True)
    every, rejected = _open_items(board, lessons), _rejected_items(board, lessons)
    kind = SHOWN.get(shown, "all")
    parts = {
        "all": (*every, *_agreed_items(board)),
        "weak": tuple(one for one in every if one.weak),
        "blocked": tuple(one for one in every if one.blocked),
        "rejected": rejected,
    }
    return WaitingQueue(shown=kind, items=parts[kind], every=every, rejected=len(rejected))


def every_draft(board: Dashboard) -> list[Draft]:
    """Every draft, decided or not, the oldest first."""
    stamp = board.live.stamps()["skills"]
    return board.recall.get("every draft", stamp, lambda: list_drafts(board.ws.library, every=True))


def count_waiting(board: Dashboard) -> int:
    """How many things wait for a decision."""

    def compute() -> int:
        drafts = sum(_needs_decision(one) for one in every_draft(board))
        return sum(one.is_open for one in board.ws.lessons()) + drafts

    stamps = board.live.stamps()
    return board.recall.get("waiting", (stamps["review"], stamps["skills"]), compute)


def _open_items(board: Dashboard, every: Sequence[Lesson]) -> tuple[WaitingItem, ...]:
    """What waits: the strongest lessons, drafts, other lessons, and what looks like noise at the end."""
    lessons = _lesson_items([one for one in every if one.is_open])
    drafts = _draft_items([one for one in every_draft(board) if _needs_decision(one)])
    strong = [one for one in lessons if not one.weak]
    good = [one for one in drafts if not one.doubt]
    weak = [one for one in (*lessons, *drafts) if one.doubt]
    return (*strong[:ABOVE], *good, *strong[ABOVE:], *weak)


def _needs_decision(draft: Draft) -> bool:
    return draft.status in OPEN and not _is_agreed(draft)


def _is_agreed(draft: Draft) -> bool:
    """Whether a person said yes to a draft that is not shipped yet, as the terminal does it in two steps."""
    return draft.status in OPEN and bool(draft.approved) and draft.approved == draft.hash


def _agreed_items(board: Dashboard) -> tuple[WaitingItem, ...]:
    """What was approved and is not shipped yet: no decision is left, and nothing to doubt."""
    items = _draft_items([one for one in every_draft(board) if _is_agreed(one)])
    return tuple(replace(one, note="approved, not shipped yet", weak="", blocked=False) for one in items)


def _rejected_items(board: Dashboard, every: Sequence[Lesson]) -> tuple[WaitingItem, ...]:
    """What was rejected, the newest first."""
    lessons = [one for one in every if one.status == "rejected"]
    drafts = [one for one in every_draft(board) if one.status == "rejected"]
    dated = [
        *((one.updated, item) for one, item in zip(lessons, _lesson_items(lessons), strict=True)),
        *((one.updated, item) for one, item in zip(drafts, _draft_items(drafts), strict=True)),
    ]
    dated.sort(key=lambda one: (one[0], one[1].id), reverse=True)
    return tuple(item for _, item in dated[:REJECTED])


def _lesson_items(lessons: Sequence[Lesson]) -> list[WaitingItem]:
    seen: set[str] = set()
    found: list[WaitingItem] = []
    for one in lessons:
        words = " ".join(one.text.casefold().split())
        note = f"{one.kind} · {one.sessions} session{'' if one.sessions == 1 else 's'}"
        weak = _lesson_doubt(one, is_repeat=words in seen)
        found.append(WaitingItem(kind="lesson", id=one.id, line=one.text, note=note, weak=weak))
        seen.add(words)
    return found


def _lesson_doubt(lesson: Lesson, *, is_repeat: bool) -> str:
    """Why a lesson looks like noise; empty: it does not."""
    if is_repeat:
        return "says the same as another"
    if lesson.sessions < 2:
        return "seen only once"
    return "little speaks for it" if lesson.strength < WEAK else ""


def _draft_items(drafts: Sequence[Draft]) -> list[WaitingItem]:
    seen: set[tuple[str, str]] = set()
    found: list[WaitingItem] = []
    for one in drafts:
        key = (one.target, one.hash)
        word = "new skill" if one.kind == "create" else "change"
        name, blocked = one.target.rpartition("/")[2], is_blocked(one)
        weak = "" if blocked else _draft_doubt(one, is_repeat=key in seen)
        found.append(
            WaitingItem(kind="draft", id=one.id, line=f"{name}: {one.summary}", note=word, weak=weak, blocked=blocked)
        )
        seen.add(key)
    return found


def is_blocked(draft: Draft) -> bool:
    """Whether review stopped a draft, also one that was rejected since."""
    return draft.status == "quarantined" or any(map(blocks, draft.findings))


def _draft_doubt(draft: Draft, *, is_repeat: bool) -> str:
    """Why a draft looks like noise; empty: it does not."""
    if draft.objection:
        return "rejected by its gate"
    if is_repeat:
        return "the same as another draft"
    runs = len(draft.provenance.runs)
    return f"from {runs} run{'' if runs == 1 else 's'} only" if 0 < runs < FEW else ""
