"""An opened workspace, as services see it: where it is, its settings, store, clock and redactor."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from metier import config
from metier.context import identity
from metier.context import state_folder as place
from metier.context.own_database import DATABASE, check_copied, check_database, loss_text
from metier.errors import ConfigError, SchemaError, StoreError, UnreachableError
from metier.hooks.identity import is_sealed, key_path, seal_of
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
    """Where this person's own key and settings lie, and the lessons that hold in all their projects."""
    key: bytes = field(default=b"", repr=False)
    """This person's key, under which approvals are sealed."""
    notice: str = ""
    """What the person should know about the opening: a foreign state folder was set aside."""
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
    outer = config.outer_state_dir(flags, environ)
    root = planned_root(str(folder), flags or {}, environ)
    state = config.state_folder(root, outer)
    key = identity.user_key(environ, make=create)
    home = Path(environ.get("HOME") or "~").expanduser()
    notice = _check_standing(state, root, key, create=create, at_home=root == home)
    settings = config.load(root, flags, environ)
    if not create and not (place.is_made(state) and place.is_known(state, root)):
        raise ConfigError(f"There is no workspace in {root} yet. Run `metier init` there to make one.")
    place.make_state_folder(state, root, key)
    name = place.name_of(root, state)
    ctx = Context(
        root=root,
        state=state,
        name=name,
        settings=settings,
        store=_engine(settings, state, name),
        home=home,
        redact=_redactor(state),
        person=Path(key_path(environ)).parent,
        key=key,
        notice=notice,
        claude_home=environ.get("CLAUDE_CONFIG_DIR", ""),
        codex_home=environ.get("CODEX_HOME", ""),
        copilot_home=environ.get("COPILOT_HOME", ""),
        clock=clock,
    )
    _migrate(ctx)
    check_copied(ctx.store)
    if settings.config.store:  # whoever joined a server believes it
        return ctx
    return replace(ctx, lost=check_database(ctx.store, state, key, ctx.now))


def planned_root(folder: str, flags: Mapping[str, object], environ: Mapping[str, str]) -> Path:
    """The root of the workspace that a folder belongs to, or would belong to if one were made; makes nothing."""
    outer = config.outer_state_dir(flags, environ)
    place.check_folder(Path(folder))
    return place.find_root(Path(folder), environ, outer) or place.new_root(Path(folder), environ)


def find_workspace(folder: str, flags: Mapping[str, object], environ: Mapping[str, str]) -> tuple[Path, Path]:
    """The root and the state folder of this person's workspace that a folder belongs to; opens nothing."""
    outer = config.outer_state_dir(flags, environ)
    root = place.find_root(Path(folder), environ, outer)
    if root is None:
        raise ConfigError(
            f"There is no workspace in {Path(folder).absolute()} yet. Run `metier init` there to make one."
        )
    state = config.state_folder(root, outer)
    _check_standing(state, root, identity.user_key(environ, make=False), create=False, at_home=False)
    return root, state


def _check_standing(state: Path, root: Path, key: bytes, *, create: bool, at_home: bool) -> str:
    """Use nothing that somebody brought along: set it aside where a new workspace may be made, else refuse."""
    identity.check_links(state, root)
    if identity.standing_of(state, key, at_home=at_home) != "foreign":
        return ""
    if not create or state.parent != root:
        raise ConfigError(identity.foreign_text(state))
    aside = identity.set_aside(state, key, at_home=at_home)
    if aside is None:
        return ""
    return f"{state} was not made by you at this place. It is now {aside.name}; look at it: metier init --adopt"


def _redactor(state: Path) -> Callable[[str], str]:
    """Redaction that loads its rules at first use, and remembers short texts: most of them come again and again."""

    @lru_cache(maxsize=1)
    def load() -> tuple[Callable[[str], str], Callable[[str], str]]:
        from metier.redaction import Redactor

        redact = Redactor(place.key_of(state)).redact
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
