"""A workspace: the folder whose agents learn, with its settings, store, redactor and clock."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Self, Unpack

from metier import config
from metier.context import state_folder as place
from metier.errors import ConfigError, MetierError, SchemaError, StoreError, UnreachableError
from metier.store.engines import migrate
from metier.store.tables import meta

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
    from types import TracebackType

    from metier.config import Config, Settings
    from metier.events import Event
    from metier.learning.report import Learned
    from metier.library.listing import Skill
    from metier.library.skills import Library
    from metier.models.model import Model
    from metier.redaction import Redactor
    from metier.runs.live_run import Recording
    from metier.selection.candidates.skill_pool import Stock
    from metier.selection.result import Selected
    from metier.selection.types import Settings as SelectSettings
    from metier.store.engines.engine import Engine
    from metier.training.evaluate import Evaluated
    from metier.training.events import Event as Progress
    from metier.training.service.inputs import Asked
    from metier.training.train import Finished
    from metier.types import Delivery, Pattern, PatternStatus, Record, Run, Verdict
    from metier.types.skills import Version

DATABASE = "metier.db"
LOCK = "lock"
JOURNAL = "journal"
"""The folder of changes to skills that were begun."""
SHORT = 100
"""Characters up to which a text's redaction is remembered."""


def utc() -> datetime:
    """The time of day, in UTC."""
    return datetime.now(UTC)


@dataclass(kw_only=True)
class Workspace:
    """An open workspace; `metier.open(".")` makes one, `with` closes it."""

    root: Path
    state: Path
    settings: Settings
    name: str
    """What its records are called by."""
    engine: Engine
    home: Path
    """Of the person: where their own skills are."""
    claude_home: str = ""
    """Where Claude Code keeps its things, if not in `~/.claude`."""
    clock: Callable[[], datetime] = field(default=utc, repr=False)

    @classmethod
    def open(
        cls,
        folder: str | Path = "",
        *,
        create: bool = True,
        flags: Mapping[str, object] | None = None,
        environ: Mapping[str, str] | None = None,
        clock: Callable[[], datetime] = utc,
    ) -> Self:
        """Open the workspace a folder belongs to, making it first unless told not to.

        Without a folder it is that of METIER_WORKSPACE, else the current one.
        """
        _check_platform()
        environ = os.environ if environ is None else environ
        folder = folder or environ.get("METIER_WORKSPACE") or "."
        root = place.find_root(Path(folder), environ, config.outer_state_dir(flags, environ))
        if root is None:
            root = place.new_root(Path(folder), environ)
        settings = config.load(root, flags, environ)
        state = config.state_folder(root, settings.config.state_dir)
        if not create and not (place.is_made(state) and place.is_known(state, root)):
            raise ConfigError(f"There is no workspace in {root} yet. Run `metier init` there to make one.")
        place.make(state, root)
        name = place.name_of(root, state)
        ws = cls(
            root=root,
            state=state,
            settings=settings,
            name=name,
            engine=_engine(settings, state, name),
            home=Path(environ.get("HOME") or "~").expanduser(),
            claude_home=environ.get("CLAUDE_CONFIG_DIR", ""),
            clock=clock,
        )
        ws._migrate()
        ws._recover()
        with suppress(StoreError):  # what hooks spooled waits for the next one
            ws.ingest()
        return ws

    @cached_property
    def library(self) -> Library:
        """The skills on disk and their history."""
        from metier.library.skills import Library

        return Library(ws=self)

    @cached_property
    def stock(self) -> Stock:
        """The skills in use, ready to be searched."""
        from metier.selection.candidates.skill_pool import Stock

        return Stock(ws=self)

    @property
    def config(self) -> Config:
        """The effective settings."""
        return self.settings.config

    def now(self) -> str:
        """The moment, as records write it."""
        return self.clock().astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")

    def redact(self, text: str) -> str:
        """Text without its secrets, under this workspace's key."""
        return self._short(text) if len(text) <= SHORT else self._redactor.redact(text)

    def record(self, message: str, *, session: str = "", agent: str = "", model: str = "") -> Recording:
        """A context manager that keeps a run however its block ends."""
        from metier.runs.live_run import Recording

        return Recording(self, message, session=session, agent=agent, model=model)

    def finish(self, run: Run) -> Delivery:
        """Record one finished run; says what became of it and never raises."""
        from metier.runs.record import finish

        return finish(self, run)

    def deliver(self, runs: Iterable[Run]) -> list[Delivery]:
        """Record many runs, in batches; says what became of each."""
        from metier.runs.record import deliver

        return deliver(self, runs)

    def ingest(self) -> list[Delivery]:
        """Take in what hooks have spooled, each file exactly once."""
        from metier.runs.ingest import ingest

        return ingest(self)

    def read_waiting(self) -> None:
        """Read what is new in the transcripts that hooks pointed at, up to 32 MiB in all."""
        from metier.store.tables.recording import transcripts as files

        with self.engine.read() as transaction:
            waiting = files.waiting(transaction)
        if waiting:
            from metier.capture.import_sessions import read_waiting

            read_waiting(self)

    def runs(self, limit: int = 50) -> list[Record]:
        """The newest runs."""
        from metier.runs.queries import listed

        return listed(self, limit)

    def run(self, run: str) -> Record:
        """One run by its id or the beginning of it."""
        from metier.runs.queries import shown

        return shown(self, run)

    def verdict(self, run: str) -> Verdict | None:
        """The stored verdict on a run, if there is one."""
        from metier.runs.queries import verdict

        return verdict(self, run)

    def search(self, words: str, limit: int = 50) -> list[Record]:
        """Runs that hold all the words, newest first."""
        from metier.runs.queries import search

        return search(self, words, limit)

    def index(self) -> Iterator[Event]:
        """Fill the full-text index, telling how far it got."""
        from metier.runs.queries import index

        return index(self)

    def tidy(self) -> Iterator[Event]:
        """Enforce the limits on age and size, at most once a day."""
        from metier.maintenance.retention import tidy

        return tidy(self)

    def learn(
        self, *, apply: bool | None = None, dry_run: bool = False, wait: float = 0.0
    ) -> Generator[Event, None, Learned]:
        """Learn from new runs, once: patterns, drafts and, in mode apply or if told to, skills.

        `apply` overrides the mode; a dry run writes nothing and asks no model; `wait`: seconds for another learner.
        """
        from metier.learning.learn import learn
        from metier.learning.report import Options

        return learn(self, Options(apply=apply, dry_run=dry_run, wait=wait))

    def patterns(self, status: PatternStatus | None = None) -> list[Pattern]:
        """The patterns that learning has found, in the order they first appeared."""
        from metier.learning.trace import listed

        return listed(self, status)

    def skills(self) -> list[Skill]:
        """Every skill of every root, and those that are only kept; what was done by hand becomes a version."""
        from metier.library.listing import all_skills

        return all_skills(self)

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
        settings: SelectSettings | None = None,
    ) -> Selected:
        """The skills an agent should have for a task, with how that came about; often none, and that is an answer.

        `model`: ask the configured one, none, or one that is handed in; `path`: what the task is about.
        """
        from metier.selection.select import Wanted, select

        wanted = Wanted(
            text=task,
            agent=agent,
            path=path,
            exclude=frozenset(exclude),
            session=session,
            budget=budget,
            model=model,
            settings=settings,
        )
        return select(self, wanted)

    def index_skills(self) -> Iterator[Event]:
        """Make every skill ready to be selected, by hooks, too; costs only what is new since the last time."""
        from metier.selection.hook_table import prepared

        return prepared(self)

    def train(self, skill: str, **asked: Unpack[Asked]) -> Generator[Progress, None, Finished]:
        """Train a skill on cases behind the gate; what is better becomes a draft, see `Finished.result`.

        `cases`: a file or a sequence; `target`: as for `metier train`, a Target, or a function of a case and a text.
        """
        from metier.training.service.inputs import ordered
        from metier.training.service.ship import carried_out

        return carried_out(self, ordered(self, skill, **asked))

    def evaluate(self, skill: str, against: str = "", samples: int = 1, **asked: Unpack[Asked]) -> Evaluated:
        """Score a skill on cases beside another version (a number, `none`, a folder; unnamed: the one before)."""
        from metier.training.evaluate import evaluated

        return evaluated(self, skill, against, samples, **asked)

    def history(self, skill: str) -> tuple[Version, ...]:
        """All versions of a skill, the first one first."""
        from metier.library.changes import history

        return history(self, skill)

    def rollback(self, skill: str, to: int | None = None) -> Version:
        """Put an earlier version of a skill back; the newer one stays in its history."""
        from metier.library.changes import rollback

        return rollback(self, skill, to)

    def archive(self, skill: str, reason: str = "") -> Version:
        """Take a skill out of every agent's sight; it is kept."""
        from metier.library.changes import archive

        return archive(self, skill, reason)

    def restore(self, skill: str) -> Version:
        """Bring back a skill that was archived or deleted."""
        from metier.library.changes import restore

        return restore(self, skill)

    def pin(self, skill: str, *, pinned: bool = True) -> Version:
        """Exempt a skill from ageing, or let it age again."""
        from metier.library.changes import pin

        return pin(self, skill, pinned=pinned)

    def close(self) -> None:
        """Let go of the database."""
        self.engine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @cached_property
    def _short(self) -> Callable[[str], str]:
        """The redactor for short texts, most of which come again and again: names, ids, models."""
        return lru_cache(maxsize=4096)(self._redactor.redact)

    @cached_property
    def _redactor(self) -> Redactor:
        from metier.redaction import Redactor

        return Redactor(place.key_of(self.state))

    def _migrate(self) -> None:
        """Bring the store to this version's schema; one that is there already is only read."""
        try:
            with self.engine.read() as transaction:
                current = migrate.check(migrate.version(transaction))
        except (SchemaError, UnreachableError):
            raise
        except StoreError:  # no database, or none with tables in it
            current = False
        if not current:
            migrate.migrate(self.engine, self.now())

    def _recover(self) -> None:
        """Finish what a killed process began: a restore, the wiping of removed text."""
        with suppress(StoreError):
            with self.engine.read() as transaction:
                restored, erasing = meta.get(transaction, meta.ADOPTED), meta.get(transaction, meta.ERASING)
            if restored:
                from metier.maintenance.backup import adopt

                adopt(self)
            if erasing:
                from metier.maintenance.retention import erase

                erase(self)
        if any(_has_entries(folder / JOURNAL) for folder in (self.state, self.home / config.STATE)):
            with suppress(MetierError):  # the next change tries again, and says what is in the way
                self.library.recover()
        left = [*self.state.glob("backup-*"), *self.state.glob("restore-*")]
        if left:
            from metier.context.temp_folders import sweep

            sweep(left)


def _has_entries(folder: Path) -> bool:
    try:
        with os.scandir(folder) as entries:
            return next(entries, None) is not None
    except OSError:
        return False


def _engine(settings: Settings, state: Path, name: str) -> Engine:
    url, wait = settings.config.store, settings.config.lock_wait
    if url:
        from metier.store.engines.postgres import PostgresEngine

        return PostgresEngine(url, wait=wait, workspace=name)
    from metier.store.engines.sqlite import SqliteEngine

    return SqliteEngine(state / DATABASE, lock=state / LOCK, wait=wait, workspace=name)


def _check_platform() -> None:
    if os.name != "posix":
        raise ConfigError("Metier runs on Linux and macOS. Windows is not supported yet; WSL works.")
