"""The cold path, once: from new runs to reviewed drafts, and in mode apply to skills."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel

from metier.capture.import_sessions import read_waiting
from metier.context.exclusive import exclusive_lock
from metier.context.model_access import asker_of
from metier.errors import ConfigError, MetierError
from metier.events import Noted
from metier.learning.drafting.proposal import HEURISTIC
from metier.learning.report import NOTHING_AGED, Learned, Options
from metier.learning.stages.draft_all import write_all
from metier.learning.stages.existing_skills import ExistingSkills
from metier.learning.stages.gather import gather
from metier.learning.stages.group import group
from metier.learning.stages.stored_patterns import settle
from metier.learning.stages.write_draft import Desk
from metier.learning.watch import schedule as passes
from metier.library.aging import age
from metier.library.hand_edits import record_hand_edits
from metier.library.listing import scan_skills
from metier.library.proposals.drafts import finish_interrupted_drafts
from metier.library.proposals.gate import NoCases
from metier.models.build import UNSET, NoModel
from metier.models.embedder import StaticEmbedder
from metier.models.questions import NoAnswer
from metier.runs.ingest import ingest_spool
from metier.runs.record import why_closed
from metier.selection.hook_table import prepared
from metier.selection.worth import outcomes
from metier.selection.worth.link_runs import link

if TYPE_CHECKING:
    from collections.abc import Generator
    from decimal import Decimal

    from metier.events import Event
    from metier.library.aging import Pass
    from metier.library.proposals.gate import Gate
    from metier.library.skills import Library
    from metier.models.questions import Asker, Question
    from metier.selection.candidates.skill_pool import SkillPool

DEFAULT = Options()
DRY = NoModel(reason="A dry run asks no model.")
SELDOM = (50_000, 20, 50)
"""New values before a look at the new ones, and how many of these looks before one at the older ones."""
T = TypeVar("T", bound=BaseModel)
OUTAGE = 3
"""Questions in a row without any answer, after which nobody is asked any more in this pass."""


def learn(pool: SkillPool, options: Options = DEFAULT, gate: Gate | None = None) -> Generator[Event, None, Learned]:
    """One pass: judge, group, draft, review; ship what passes if the mode or the caller says so; then age skills."""
    if reason := why_closed(pool.ctx):
        raise ConfigError(f"Nothing is learned here: {reason}.")
    with exclusive_lock(pool.ctx, options.wait), seldom_swept():
        if not options.dry_run:
            ingest_spool(pool.ctx)
            read_waiting(pool.ctx)
        began = passes.begun(pool.ctx)
        found = DRY if options.dry_run else asker_of(pool.ctx)
        if isinstance(found, NoModel):
            yield Noted(stage="learn", text=f"{found.reason} {found.fix}".strip())
            instead = None if options.dry_run else in_place_of(found, pool.ctx.config.models.model)
            learned = yield from _pass(pool.library, options, gate or NoCases(), instead)
        else:
            with found as asker:
                learned = yield from _pass(pool.library, options, gate or NoCases(), Patience(asker))
                learned = replace(learned, calls=asker.spent().calls, cost_usd=_cost(asker.spent().cost_usd))
        if not options.dry_run:
            passes.completed(pool.ctx, began)
        if any(one.version for one in learned.taken):
            learned = yield from _ready(pool, learned)
        return learned


def _pass(library: Library, options: Options, gate: Gate, asker: Patience | None) -> Generator[Event, None, Learned]:
    save = not options.dry_run
    ship = library.ctx.config.mode == "apply" if options.apply is None else options.apply
    changed = settle(library.ctx) if save else []
    if save:
        link(library.ctx, again=True)
    gathered = yield from gather(library.ctx, asker, save=save)
    grouped = yield from group(library.ctx, gathered, _embedder(), asker, save=save)
    if save:
        finish_interrupted_drafts(library)
    skills = yield from record_hand_edits(library) if save else scan_skills(library)
    desk = Desk(
        library=library,
        stock=ExistingSkills(library, skills),
        read=gathered.read,
        asker=asker,
        ahead=None if save else grouped,
    )
    taken = yield from write_all(desk, gate if ship else None, save=save)
    worth = yield from outcomes.settle(library, skills, gathered.success, save=save)
    lifecycle, notes = _aged(library, dry_run=options.dry_run)
    counted = {one.id for one in (*grouped.new, *grouped.extended)}
    return Learned(
        evidence=len(gathered.records),
        fates=(*gathered.fates, *grouped.fates),
        new=tuple(grouped.new),
        extended=(*grouped.extended, *(one for one in changed if one.id not in counted)),
        taken=taken,
        lifecycle=lifecycle,
        drafter=asker.name if asker else HEURISTIC,
        notes=(*grouped.notes, *worth, *notes),
        dry_run=options.dry_run,
    )


def _ready(pool: SkillPool, learned: Learned) -> Generator[Event, None, Learned]:
    """Make what shipped ready to be selected, hooks included; what was learned stands if that fails."""
    try:
        yield from prepared(pool)
    except MetierError as error:
        return replace(learned, notes=(*learned.notes, f"What shipped is not in the index yet: {error}"))
    return learned


@cache
def _embedder() -> StaticEmbedder:
    """The built-in one; its table is read once, however many passes there are."""
    return StaticEmbedder()


def _aged(library: Library, *, dry_run: bool) -> tuple[Pass, tuple[str, ...]]:
    """The lifecycle's part of a pass; what was learned stands whether it gets through or not."""
    try:
        return age(library, dry_run=dry_run), ()
    except MetierError as error:
        return NOTHING_AGED, (f"Skills were not aged: {error}",)


def _cost(spent: Decimal | None) -> float | None:
    return None if spent is None else float(spent)


@contextmanager
def seldom_swept() -> Generator[None]:
    """Look for garbage seldom, and afterwards as before; where somebody looks more seldom yet, that is left alone."""
    before = gc.get_threshold()
    if not 0 < before[0] < SELDOM[0]:
        yield
        return
    gc.set_threshold(*SELDOM)
    try:
        yield
    finally:
        gc.set_threshold(*before)


class Patience:
    """An asker that gives up on a model which does not answer, until the next pass."""

    def __init__(self, asker: Asker) -> None:
        self._asker = asker
        self.silent = 0
        """Questions without an answer since the last one that had one."""

    @property
    def name(self) -> str:
        """What answers."""
        return self._asker.name

    @property
    def is_out(self) -> bool:
        """Whether nobody is asked any more."""
        return self.silent >= OUTAGE

    def ask(self, question: Question, kind: type[T]) -> T | NoAnswer:
        """The answer; judging asks from many threads and counts for itself, so that no result rests on their speed."""
        if self.is_out:
            return NoAnswer(reason=f"not asked: {self.name} did not answer earlier in this pass")
        answer = self._asker.ask(question, kind)
        if question.stage != "judge":
            self.silent = self.silent + 1 if isinstance(answer, NoAnswer) and not answer.answered else 0
        return answer

    def give_up(self) -> None:
        """Ask nobody any more."""
        self.silent = OUTAGE


class Nobody:
    """The asker of a model that is set but cannot be asked: what it would have judged stays unknown."""

    def __init__(self, name: str, reason: str) -> None:
        self.name = name
        self._reason = reason

    def ask(self, question: Question, kind: type[T]) -> T | NoAnswer:  # noqa: ARG002
        """Why there is no answer."""
        return NoAnswer(reason=self._reason)


def in_place_of(found: NoModel, name: str) -> Patience | None:
    """Who is asked where there is no model: nobody at all if none is set, else somebody who cannot answer."""
    return None if found is UNSET or not name else Patience(Nobody(name, found.reason))
