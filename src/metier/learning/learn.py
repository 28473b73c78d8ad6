"""`metier learn`: one pass from new runs to reviewed drafts and, in mode apply, to skills."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel

from metier.context.models.access import asker_of
from metier.context.models.consent import note_program
from metier.context.state_folder import exclusive_lock
from metier.errors import ConfigError, MetierError
from metier.events import Noted
from metier.learning.clustering.clusterer import ModelClusterer, NearnessClusterer
from metier.learning.drafting.heuristic import HeuristicDrafter
from metier.learning.judge import HeuristicJudge
from metier.learning.stages.draft_all import write_all
from metier.learning.stages.existing_skills import ExistingSkills
from metier.learning.stages.gather import gather
from metier.learning.stages.group import group
from metier.learning.stages.learn_lessons import find_problems, learn_lessons
from metier.learning.stages.stored_patterns import follow_settings
from metier.learning.stages.write_draft import DraftWriter
from metier.learning.watch.schedule import begin_pass, complete_pass
from metier.library.hand_edits import record_hand_edits
from metier.library.listing import scan_skills
from metier.library.proposals.drafts import finish_interrupted_drafts
from metier.library.proposals.gate import NoCases
from metier.library.proposals.second_opinion_commands import opinion_commands
from metier.models.embedder import StaticEmbedder
from metier.runs.ingest import has_waiting_transcripts, ingest_spool
from metier.runs.record import why_closed
from metier.selection.worth.link_runs import link_runs
from metier.types.passes import NOTHING_AGED, Learned, Options
from metier.types.questions import UNSET, NoAnswer, NoModel

if TYPE_CHECKING:
    from collections.abc import Container, Generator, Iterable, Iterator, Sequence

    from metier.context.context import Context
    from metier.events import Event
    from metier.learning.clustering.clusterer import Clusterer
    from metier.learning.judge import Judge
    from metier.learning.stages.write_draft import Drafter
    from metier.library.listing import Skill
    from metier.library.proposals.gate import ShipGate
    from metier.library.skills import Library
    from metier.types.passes import Fate
    from metier.types.questions import Asker, Question
    from metier.types.skills import AgingPass

DEFAULT = Options()
DRY = NoModel(reason="A dry run asks no model.")
SELDOM = (50_000, 20, 50)
"""New values before a look at the new ones, and how many of these looks before one at the older ones."""
T = TypeVar("T", bound=BaseModel)
OUTAGE = 3
"""Questions in a row without any answer, after which nobody is asked any more in this pass."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """Who judges, groups and drafts in a pass; None: the model if there is one, else heuristics."""

    judge: Judge | None = None
    clusterer: Clusterer | None = None
    drafter: Drafter | None = None

    @property
    def is_whole(self) -> bool:
        """Whether all parts are the caller's own, so that no model is needed."""
        return self.judge is not None and self.clusterer is not None and self.drafter is not None

    @property
    def names(self) -> str:
        """What the caller's own parts are called; empty: there are none."""
        own = (self.judge, self.clusterer, self.drafter)
        return ", ".join(type(one).__name__ for one in own if one is not None)


DEFAULT_PARTS = Parts()


def learn(
    library: Library, options: Options = DEFAULT, gate: ShipGate | None = None, parts: Parts = DEFAULT_PARTS
) -> Generator[Event, None, Learned]:
    """One pass: judge, group, draft, review; ship what passes if the mode or the caller says so; then age skills."""
    ctx = library.ctx
    if reason := why_closed(ctx):
        raise ConfigError(f"Learning is off in this folder: {reason}.")
    with exclusive_lock(ctx, options.wait), rare_garbage_collection():
        if not options.dry_run:
            take_in_new(ctx)
        began = begin_pass(ctx)
        learned = yield from _learn_with_model(library, options, gate or NoCases(), parts)
        if not options.dry_run:
            complete_pass(ctx, began)
        if learned.applied:
            learned = yield from _prepare_shipped(library, learned)
        return learned


def _learn_with_model(
    library: Library, options: Options, gate: ShipGate, parts: Parts
) -> Generator[Event, None, Learned]:
    """The pass with the workspace's model, or without one; with what the model cost."""
    ctx = library.ctx
    if (own := parts.names) and not options.dry_run:
        note_program(ctx, f"runs to {own}")
    found = DRY if options.dry_run or parts.is_whole else asker_of(ctx)
    if isinstance(found, NoModel):
        if not parts.is_whole:
            yield Noted(stage="learn", text=f"{found.reason} {found.fix}".strip())
        silent = None if found is DRY else silent_asker(found, ctx.config.models.model)
        return (yield from run_pass(library, options, gate, with_defaults(silent, parts)))
    with found as asker:
        learned = yield from run_pass(library, options, gate, with_defaults(GiveUpAfterOutage(asker), parts))
        spent = asker.spent()
        cost = None if spent.cost_usd is None else float(spent.cost_usd)
        return replace(learned, calls=spent.calls, cost_usd=cost)


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeParts:
    """The parts of a pass, all of them set."""

    judge: Judge
    clusterer: Clusterer
    drafter: Drafter
    asker: Asker | None = None
    """Who judges what the person said; None: nobody."""


def with_defaults(asker: GiveUpAfterOutage | None, parts: Parts = DEFAULT_PARTS) -> WholeParts:
    """The caller's parts; for those that are missing, the model's or, without one, the heuristics."""
    if asker is None:
        judge, clusterer, drafter = HeuristicJudge(), NearnessClusterer(_embedder()), HeuristicDrafter()
    else:
        from metier.learning.drafting.by_model import ModelDrafter
        from metier.learning.judge_by_model import ModelJudge

        judge = ModelJudge(asker, on_outage=asker.give_up)
        clusterer = ModelClusterer(asker, _embedder())
        drafter = ModelDrafter(asker, is_out=lambda: asker.is_out)
    return WholeParts(
        judge=parts.judge or judge,
        clusterer=parts.clusterer or clusterer,
        drafter=parts.drafter or drafter,
        asker=asker if asker is not None and asker.answers else None,
    )


def run_pass(library: Library, options: Options, gate: ShipGate, parts: WholeParts) -> Generator[Event, None, Learned]:
    """The stages of a pass, one after the other."""
    ctx, save = library.ctx, not options.dry_run
    ship = ctx.config.mode == "apply" if options.apply is None else options.apply
    changed = follow_settings(ctx) if save else []
    drafter = parts.drafter.name
    if save:
        link_runs(ctx, again=True)
    gathered = yield from gather(ctx, parts.judge, save=save)
    lessons = yield from learn_lessons(ctx, save=save, asker=parts.asker)
    grouped = yield from group(ctx, gathered, _embedder(), parts.clusterer, save=save)
    if save:
        finish_interrupted_drafts(library)
    skills = yield from record_hand_edits(library) if save else scan_skills(library)
    second = opinion_commands(ctx.config.second_opinions)
    writer = DraftWriter(
        library=library,
        existing=ExistingSkills(library, skills),
        cache=gathered.cache,
        drafter=parts.drafter,
        second=second,
        unsaved=None if save else grouped,
    )
    taken = yield from write_all(writer, gate if ship else None, save=save)
    lifecycle, notes = yield from _look_after(library, skills, gathered.success, save=save)
    counted = {one.id for one in (*grouped.new, *grouped.extended)}
    return Learned(
        evidence=len(gathered.records),
        fates=(*gathered.fates, *_marked_earlier(grouped.fates, {one.id for one in gathered.records})),
        new=tuple(grouped.new),
        extended=(*grouped.extended, *(one for one in changed if one.id not in counted)),
        taken=taken,
        lifecycle=lifecycle,
        lessons=lessons,
        problems=tuple(find_problems(ctx)),
        drafter=drafter,
        notes=(*grouped.notes, *notes),
        dry_run=options.dry_run,
        ships=ship and save,
    )


def _marked_earlier(fates: Iterable[Fate], new: Container[str]) -> Iterator[Fate]:
    """Fates of a pass, those of runs that are not new marked: they waited for others like them."""
    return (replace(one, is_earlier=one.run not in new) for one in fates)


def take_in_new(ctx: Context) -> None:
    """Take in what hooks noted, and read the transcripts that they pointed at."""
    ingest_spool(ctx)
    if has_waiting_transcripts(ctx):
        from metier.capture.waiting import read_waiting

        read_waiting(ctx)


def _prepare_shipped(library: Library, learned: Learned) -> Generator[Event, None, Learned]:
    """Make what shipped ready to be selected, hooks included; what was learned stands if that fails."""
    from metier.selection.candidates.skill_pool import SkillPool
    from metier.selection.hook_table import prepare_all_for_hooks

    try:
        yield from prepare_all_for_hooks(SkillPool(library=library))
    except MetierError as error:
        return replace(learned, notes=(*learned.notes, f"The shipped skills are not in the search index yet: {error}"))
    return learned


@cache
def _embedder() -> StaticEmbedder:
    """The built-in one; its table is read once, however many passes there are."""
    return StaticEmbedder()


def _look_after(
    library: Library, skills: Sequence[Skill], judged: Iterable[str], *, save: bool
) -> Generator[Event, None, tuple[AgingPass, tuple[str, ...]]]:
    """Count what skills are worth and age them; what was learned stands whether that gets through or not."""
    if not skills:
        return NOTHING_AGED, ()
    from metier.library.aging import age_skills
    from metier.selection.worth import outcomes

    notes = yield from outcomes.update_after_learning(library, skills, judged, save=save)
    try:
        return age_skills(library, dry_run=not save), notes
    except MetierError as error:
        return NOTHING_AGED, (*notes, f"The lifecycle of skills was not updated: {error}")


@contextmanager
def rare_garbage_collection() -> Generator[None]:
    """Let Python collect garbage rarely: a pass makes many values and hardly any garbage."""
    before = gc.get_threshold()
    if not 0 < before[0] < SELDOM[0]:
        yield
        return
    gc.set_threshold(*SELDOM)
    try:
        yield
    finally:
        gc.set_threshold(*before)


class GiveUpAfterOutage:
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

    @property
    def answers(self) -> bool:
        """Whether there is anybody to ask at all."""
        return not isinstance(self._asker, SilentAsker)

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


class SilentAsker:
    """The asker of a model that is set but cannot be asked: what it would have judged stays unknown."""

    def __init__(self, name: str, reason: str) -> None:
        self.name = name
        self._reason = reason

    def ask(self, question: Question, kind: type[T]) -> T | NoAnswer:  # noqa: ARG002
        """Why there is no answer."""
        return NoAnswer(reason=self._reason)


def silent_asker(found: NoModel, name: str) -> GiveUpAfterOutage | None:
    """Who is asked where there is no model: nobody at all if none is set, else somebody who cannot answer."""
    return None if found is UNSET or not name else GiveUpAfterOutage(SilentAsker(name, found.reason))
