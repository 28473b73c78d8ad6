"""An opened workspace, as services see it: where it is, its settings, store, clock and redactor."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from metier import config
from metier.context import state_folder as place
from metier.context.own_database import DATABASE, check_copied, check_database, loss_text
from metier.errors import ConfigError, SchemaError, StoreError, UnreachableError
from metier.hooks.identity import is_sealed, seal_of
from metier.hooks.notes import keep_guard
from metier.hooks.places import USER
from metier.store.engines import migrate
from metier.store.tables import meta

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from metier.config import Config, Settings
    from metier.store.engines.engine import Engine

LOCK = "lock"
SHORT = 100
"""Characters up to which a text's redaction is remembered."""


def utc() -> datetime:
    """The time of day, in UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """An opened workspace, as services see it."""

    root: Path
    state: Path
    """The folder that holds what Metier keeps about it."""
    history: Path
    """The folder in it that holds the history of this work tree's skills."""
    name: str
    """What its records are called by."""
    settings: Settings
    store: Engine
    """Gives transactions that are scoped to this workspace."""
    home: Path
    """The user's home folder: where their own skills are."""
    redact: Callable[[str], str]
    """Takes the secrets out of a text, under this workspace's key."""
    person: Path
    """Where this person's own keys lie, the lessons that hold in all their projects, the history of their skills."""
    key: bytes = field(default=b"", repr=False)
    """This person's key, under which approvals are sealed."""
    notice: str = ""
    """What the person should know about the opening: state of a release before lies in the project."""
    lost: str = ""
    """When it was found that the database is a new one in the place of one that was lost; empty: it is not."""
    claude_home: str = ""
    """Where Claude Code keeps its files, if not in `~/.claude`."""
    codex_home: str = ""
    """The same of Codex, if not `~/.codex`."""
    copilot_home: str = ""
    """The same of Copilot CLI, if not `~/.copilot`."""
    clock: Callable[[], datetime] = field(default=utc, repr=False)

    @property
    def config(self) -> Config:
        """The effective settings."""
        return self.settings.config

    @property
    def loss_text(self) -> str:
        """The one line about a database that was lost; empty: none was, or it is settled by now."""
        if not self.lost:
            return ""
        with self.store.read() as transaction:
            return loss_text(self.state, self.lost) if meta.get(transaction, meta.LOST) else ""

    def now(self) -> str:
        """The current time, as records write it."""
        return self.clock().astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")

    def seal(self, *parts: str) -> str:
        """This person's seal under some texts."""
        return seal_of(self.key, *parts)

    def is_sealed(self, seal: str, *parts: str) -> bool:
        """Whether this person sealed exactly these texts."""
        return is_sealed(self.key, seal, *parts)


def open_context(
    folder: str | Path = "",
    *,
    create: bool = True,
    flags: Mapping[str, object] | None = None,
    environ: Mapping[str, str] | None = None,
    clock: Callable[[], datetime] = utc,
) -> Context:
    """Open the workspace that a folder belongs to; make it first unless `create` is off.

    Without a folder it is that of METIER_WORKSPACE, else the current one.
    """
    _check_platform()
    environ = os.environ if environ is None else environ
    folder = folder or environ.get("METIER_WORKSPACE") or "."
    home = place.state_home(environ)
    found = place.make_place(folder, home, environ) if create else place.require_place(folder, home)
    settings = config.load(found.state, flags, environ)
    name = place.name_of(found.state)
    ctx = Context(
        root=found.root,
        state=found.state,
        history=found.history,
        name=name,
        settings=settings,
        store=_engine(settings, found.state, name),
        home=Path(environ.get("HOME") or "~").expanduser(),
        redact=_redactor(home),
        person=home / USER,
        key=place.user_key(home),
        notice=_old_state(found.root),
        claude_home=environ.get("CLAUDE_CONFIG_DIR", ""),
        codex_home=environ.get("CODEX_HOME", ""),
        copilot_home=environ.get("COPILOT_HOME", ""),
        clock=clock,
    )
    _migrate(ctx)
    with suppress(OSError):  # where nothing can be written, nothing is decided either
        keep_guard(str(found.state))
    check_copied(ctx.store)
    if settings.config.store:  # who joined a server believes it
        return ctx
    return replace(ctx, lost=check_database(ctx.store, found.state, ctx.now))


def find_workspace(folder: str, environ: Mapping[str, str]) -> place.Place:
    """The project that a folder belongs to, with its state; opens nothing."""
    return place.require_place(folder, place.state_home(environ))


def settings_for(folder: str | Path, flags: Mapping[str, object] | None, environ: Mapping[str, str]) -> Settings:
    """The settings that hold in a folder, whether it is a workspace or not."""
    found = place.find_place(folder, place.state_home(environ))
    return config.load(found.state if found else None, flags, environ)


def _old_state(root: Path) -> str:
    old = root / place.OLD
    if not (old / "workspace").is_file():
        return ""
    return f"{old} is of an earlier release and is not read. When you need nothing in it: rm -r {quote(str(old))}"


def _redactor(home: Path) -> Callable[[str], str]:
    """Redaction that loads its rules at first use, and remembers short texts: most of them come again and again."""

    @lru_cache(maxsize=1)
    def load() -> tuple[Callable[[str], str], Callable[[str], str]]:
        from metier.redaction import Redactor

        redact = Redactor(place.key_of(home)).redact
        return lru_cache(maxsize=4096)(redact), redact

    return lambda text: load()[len(text) > SHORT](text)


def _engine(settings: Settings, state: Path, name: str) -> Engine:
    url, wait = settings.config.store, settings.config.lock_wait
    if url:
        from metier.store.engines.postgres import PostgresEngine

        return PostgresEngine(url, wait=wait, workspace=name)
    from metier.store.engines.sqlite import SqliteEngine

    return SqliteEngine(state / DATABASE, lock=state / LOCK, wait=wait, workspace=name)


def _migrate(ctx: Context) -> None:
    """Bring the store to this version's schema; one that is current is only read."""
    try:
        with ctx.store.read() as transaction:
            current = migrate.check(migrate.version(transaction))
    except (SchemaError, UnreachableError):
        raise
    except StoreError:  # no database, or none with tables in it
        current = False
    if not current:
        migrate.migrate(ctx.store, ctx.now())


def _check_platform() -> None:
    if os.name != "posix":
        raise ConfigError("Metier runs on Linux and macOS. Windows is not supported yet; WSL works.")
