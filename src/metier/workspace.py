"""The facade: `metier.open(...)` gives a workspace with one method for each verb, and no logic of its own."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self, Unpack

from metier.async_calls import as_async_work, at_once, in_thread
from metier.context.context import open_context, utc
from metier.errors import MetierError, StoreError
from metier.runs.ingest import has_waiting_transcripts
from metier.store.tables import meta

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path
    from types import TracebackType

    from metier.config import Config
    from metier.context.context import Context
    from metier.events import Event
    from metier.learning import Clusterer, Drafter, Judge, Learned
    from metier.library.listing import Skill
    from metier.library.proposals.gate import ShipGate
    from metier.library.skills import Library
    from metier.models.model import Model
    from metier.proof.approve import YesOptions
    from metier.runs.live_run import Recording
    from metier.runs.verdicts import Mark
    from metier.selection.candidates.skill_pool import SkillPool
    from metier.selection.result import Selected
    from metier.selection.types import SelectionSettings
    from metier.training.evaluate import Evaluated
    from metier.training.events import Event as Progress
    from metier.training.service.inputs import TrainOptions
    from metier.training.train import Finished
    from metier.types import Delivery, Draft, Pattern, PatternStatus, Record, Run, Verdict
    from metier.types.lessons import Lesson, Problem
    from metier.types.skills import Version

JOURNAL = "journal"
"""The folder of changes to skills that were begun."""
TAKE = "take_over=True"
"""What a caller adds who takes on that other skills lose requests."""


@dataclass(kw_only=True)
class Workspace:
    """An open workspace; `metier.open(".")` makes one, `with` closes it."""

    context: Context
    _library: Library | None = None
    _pool: SkillPool | None = None

    @classmethod
    def open(
        cls,
        folder: str | Path = "",
        *,
        create: bool = True,
        flags: Mapping[str, object] | None = None,
        environ: Mapping[str, str] | None = None,
        clock: Callable[[], datetime] = utc,
        trust_roots: bool = False,
    ) -> Self:
        """Open the workspace a folder belongs to, making it first unless told not to.

        Without a folder it is that of METIER_WORKSPACE, else the current one. `trust_roots`: say yes to the skills that
        lie in the project now; the audit log keeps that a program did.
        """
        ws = cls(context=open_context(folder, create=create, flags=flags, environ=environ, clock=clock))
        ws._recover()
        with suppress(StoreError):  # what hooks spooled waits for the next one
            ws.ingest()
        if trust_roots:
            ws.trust_skills()
        return ws

    @property
    def root(self) -> Path:
        """Its folder."""
        return self.context.root

    @property
    def state(self) -> Path:
        """The folder that holds what Metier keeps about it."""
        return self.context.state

    @property
    def name(self) -> str:
        """What its records are called by."""
        return self.context.name

    @property
    def config(self) -> Config:
        """The effective settings."""
        return self.context.config

    @property
    def library(self) -> Library:
        """The skills on disk and their history."""
        if self._library is None:
            from metier.library.skills import Library

            self._library = Library(ctx=self.context)
        return self._library

    @property
    def pool(self) -> SkillPool:
        """The skills in use, ready to be searched."""
        if self._pool is None:
            from metier.selection.candidates.skill_pool import SkillPool

            self._pool = SkillPool(library=self.library)
        return self._pool

    def record(self, message: str, *, session: str = "", agent: str = "", model: str = "") -> Recording:
        """A context manager, `with` or `async with`, that keeps a run however its block ends."""
        from metier.runs.live_run import Recording

        return Recording(self.context, message, session=session, agent=agent, model=model)

    def finish(self, run: Run) -> Delivery:
        """Record one finished run; says what became of it and never raises."""
        from metier.runs.record import record_run

        return record_run(self.context, run)

    def deliver(self, runs: Iterable[Run]) -> list[Delivery]:
        """Record many runs, in batches; says what became of each."""
        from metier.runs.record import record_runs

        return record_runs(self.context, runs)

    def ingest(self) -> list[Delivery]:
        """Take in what hooks have spooled, each file exactly once."""
        from metier.runs.ingest import ingest_spool

        return ingest_spool(self.context)

    def read_waiting(self) -> tuple[str, ...]:
        """Read what is new in the transcripts that hooks named, up to 32 MiB; returns what is left out for good."""
        if not has_waiting_transcripts(self.context):
            return ()
        from metier.capture.waiting import read_waiting

        return read_waiting(self.context)

    def runs(self, limit: int = 50) -> list[Record]:
        """The newest runs."""
        from metier.runs.queries import list_runs

        return list_runs(self.context, limit)

    def run(self, run: str) -> Record:
        """One run by its id or the beginning of it."""
        from metier.runs.queries import get_run

        return get_run(self.context, run)

    def verdict(self, run: str) -> Verdict | None:
        """The stored verdict on a run, if there is one."""
        from metier.runs.queries import get_verdict

        return get_verdict(self.context, run)

    def search(self, words: str, limit: int = 50) -> list[Record]:
        """Runs that hold all the words, newest first."""
        from metier.runs.queries import search_runs

        return search_runs(self.context, words, limit)

    def index(self) -> Iterator[Event]:
        """Fill the full-text index, telling how far it got."""
        from metier.runs.queries import index_runs

        return index_runs(self.context)

    def tidy(self) -> Iterator[Event]:
        """Enforce the limits on age and size, at most once a day."""
        from metier.maintenance.limits import enforce_limits

        return enforce_limits(self.context)

    def _learn(
        self,
        *,
        apply: bool | None = None,
        dry_run: bool = False,
        wait: float = 0.0,
        judge: Judge | None = None,
        clusterer: Clusterer | None = None,
        drafter: Drafter | None = None,
        gate: ShipGate | None = None,
    ) -> Generator[Event, None, Learned]:
        """Learn from new runs, once and now: lessons, patterns, drafts and, in mode apply or if told to, skills.

        What is returned iterates over the events and has the `result`. `apply` overrides the mode; a dry run writes
        nothing and asks no model; `wait`: seconds for another learner. `judge`, `clusterer` and `drafter` are your own,
        in place of the model's or the heuristics; `gate` decides whether a draft helps, before it ships.
        """
        from metier.learning.learn import Parts
        from metier.proof.learn_and_prove import learn_and_prove
        from metier.types.passes import Options

        options = Options(apply=apply, dry_run=dry_run, wait=wait)
        parts = Parts(judge=judge, clusterer=clusterer, drafter=drafter)
        return learn_and_prove(self.library, options, gate, parts)

    learn = at_once(_learn)

    def lessons(self, *, every: bool = False) -> list[Lesson]:
        """What sessions teach, the strongest proposals first; with `every` also what was rejected or forgotten."""
        from metier.library.lessons import list_lessons

        return list_lessons(self.context, every=every)

    def problems(self) -> list[Problem]:
        """Work that keeps failing, the most frequent first."""
        from metier.learning.stages.learn_lessons import find_problems

        return find_problems(self.context)

    def drafts(self, *, every: bool = False) -> list[Draft]:
        """The drafts that wait for a decision; with `every` also those that were decided."""
        from metier.library.proposals.drafts import list_drafts

        return list_drafts(self.library, every=every)

    def mark(self, run: str, mark: Mark, reason: str = "") -> Record:
        """Say yourself how a run went: `good`, `bad`, or `unset` to take that back."""
        from metier.runs.verdicts import mark_run

        return mark_run(self.context, run, mark, reason)

    def approve(self, proposal: str, reason: str = "", **how: Unpack[YesOptions]) -> Lesson | Draft:
        """Say yes to a lesson, or to a draft, which ships; kept as a program's yes, and told when a session starts."""
        from metier.proof.approve import approve_one

        return approve_one(self.library, proposal, reason, **how)

    def reject(self, proposal: str, reason: str = "") -> Lesson | Draft:
        """Say no to a lesson or a draft, by its id."""
        from metier.library.decisions import reject

        return reject(self.library, proposal, reason)

    def patterns(self, status: PatternStatus | None = None) -> list[Pattern]:
        """The patterns that learning has found, in the order they first appeared."""
        from metier.learning.trace import list_patterns

        return list_patterns(self.context, status)

    def skills(self) -> list[Skill]:
        """Every skill of every root, and those that are archived or deleted; reads only."""
        from metier.library.listing import list_skills

        return list_skills(self.library)

    def record_hand_edits(self) -> list[Skill]:
        """Save what people did to skills by hand as versions; returns every skill as it is then."""
        from metier.library.hand_edits import record_hand_edits
        from metier.library.listing import result_of

        return result_of(record_hand_edits(self.library))

    def trust_skills(self, names: Sequence[str] = ()) -> list[Skill]:
        """Say yes to the skills of the project that wait for it, or to those named; recorded as a program's yes."""
        from metier.library.trust import trust_as_program

        return trust_as_program(self.library, names)

    def select(
        self,
        task: str,
        *,
        agent: str = "",
        path: str = "",
        exclude: Iterable[str] = (),
        session: str = "",
        budget: int | None = None,
        model: bool | Model = True,
        settings: SelectionSettings | None = None,
    ) -> Selected:
        """The skills an agent should have for a task, with how that came about; often none, and that is an answer.

        `model`: ask the configured one, none (no remote embedder either), or one that is handed in. `path`: what the
        task is about.
        """
        from metier.selection.select import SelectOptions, select

        wanted = SelectOptions(
            text=task,
            agent=agent,
            path=path,
            exclude=frozenset(exclude),
            session=session,
            budget=budget,
            model=model,
            settings=settings,
        )
        return select(self.pool, wanted)

    def index_skills(self) -> Iterator[Event]:
        """Make every skill ready to be selected, by hooks, too; costs only what is new since the last time."""
        from metier.selection.hook_table import prepare_all_for_hooks

        return prepare_all_for_hooks(self.pool)

    def train(self, skill: str, **asked: Unpack[TrainOptions]) -> Generator[Progress, None, Finished]:
        """Train a skill on cases behind the gate; what is better becomes a draft, see `Finished.result`.

        `cases`: a file or a sequence; `target`: as for `metier train`, a Target, or a function of a case and a text.
        """
        from metier.training.service.inputs import build_order
        from metier.training.service.ship import train_and_ship

        return train_and_ship(self.library, build_order(self.library, skill, **asked))

    def evaluate(self, skill: str, against: str = "", samples: int = 1, **asked: Unpack[TrainOptions]) -> Evaluated:
        """Score a skill on cases beside another version (a number, `none`, a folder; unnamed: the one before)."""
        from metier.training.evaluate import evaluate_now

        return evaluate_now(self.library, skill, against, samples, **asked)

    def history(self, skill: str) -> tuple[Version, ...]:
        """All versions of a skill, the first one first."""
        from metier.library.changes import list_versions

        return list_versions(self.library, skill)

    def rollback(self, skill: str, to: int | None = None, *, take_over: bool = False) -> Version:
        """Put an earlier version of a skill back; `take_over`: even if that takes requests from other skills."""
        from metier.library.changes import rollback_skill
        from metier.proof.routing import TakeoverCheck

        return rollback_skill(self.library, skill, to, check=TakeoverCheck(self.library, "" if take_over else TAKE))

    def archive(self, skill: str, reason: str = "") -> Version:
        """Take a skill out of every agent's sight; it is kept."""
        from metier.library.changes import archive_skill

        return archive_skill(self.library, skill, reason)

    def restore(self, skill: str, *, take_over: bool = False) -> Version:
        """Bring back a skill that was archived or deleted; `take_over`: even if that takes requests from others."""
        from metier.library.changes import restore_skill
        from metier.proof.routing import TakeoverCheck

        return restore_skill(self.library, skill, check=TakeoverCheck(self.library, "" if take_over else TAKE))

    def pin(self, skill: str, *, pinned: bool = True) -> Version:
        """Exempt a skill from ageing, or let it age again."""
        from metier.library.changes import pin_skill

        return pin_skill(self.library, skill, pinned=pinned)

    afinish = in_thread(finish)
    adeliver = in_thread(deliver)
    aselect = in_thread(select)
    aevaluate = in_thread(evaluate)
    alearn = as_async_work(_learn)
    atrain = as_async_work(train)

    def close(self) -> None:
        """Let go of the database."""
        self.context.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _recover(self) -> None:
        """Finish what a killed process began: a restore, the wiping of removed text."""
        with suppress(StoreError):
            with self.context.store.read() as transaction:
                restored, erasing = meta.get(transaction, meta.ADOPTED), meta.get(transaction, meta.ERASING)
            if restored:
                from metier.maintenance.backup import adopt_restored_name

                self.context = adopt_restored_name(self.context)
            if erasing:
                from metier.maintenance.retention import erase_removed_text

                erase_removed_text(self.context)
        if any(any((folder / JOURNAL).glob("*")) for folder in (self.context.history, self.context.person)):
            with suppress(MetierError):  # the next change tries again, and says what is in the way
                self.library.recover()
        left = [*self.state.glob("backup-*"), *self.state.glob("restore-*")]
        if left:
            from metier.context.temp_folders import remove_leftovers

            remove_leftovers(left)
