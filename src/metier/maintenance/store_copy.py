"""`metier store copy`: a whole store to another place, from a file to a server or back."""

from __future__ import annotations

import json
import os
import re
from contextlib import closing
from pathlib import Path
from secrets import token_bytes
from typing import TYPE_CHECKING, cast

from metier.context.context import DATABASE, LOCK
from metier.context.own_database import loss_text
from metier.context.state_folder import require_place, state_home
from metier.errors import ConfigError, NotFoundError, RefusedError, UsageError
from metier.hooks.places import RECORDS
from metier.selection.trial_arms import own_sessions
from metier.store.copying.copy import copy_store
from metier.store.engines import migrate
from metier.store.tables import meta
from metier.store.tables.selection import trials
from metier.store.tables.selection.trials import MovedSessions

if TYPE_CHECKING:
    from collections.abc import Generator

    from metier.events import Event
    from metier.store.copying.copy import CopiedStore
    from metier.store.engines.engine import Engine

PASSWORD = re.compile(r"(://[^:/@]*):[^@]*(?=@)")
SERVER = ("postgresql://", "postgres://")
WAIT = 30.0
"""Seconds for another process that writes."""


def copy_between(source: str, target: str, key: bytes, now: str) -> Generator[Event, None, CopiedStore]:
    """Copy the store at one place to another, which must be empty or a begun copy of the same; checked by hashes."""
    if place_of(source) == place_of(target):
        raise UsageError("FROM and TO are the same store.")
    with closing(_open_source(source)) as one, closing(_open_target(target, now)) as other:
        facts = _trial_facts(one, b"" if source.startswith(SERVER) else key)
        if target.startswith(SERVER):
            facts.setdefault(trials.KEY, token_bytes(32).hex())
        else:
            facts |= {meta.BEGUN: now, meta.LOST: ""}
        return (yield from copy_store(one, other, place_of(source), facts))


def _trial_facts(source: Engine, key: bytes) -> dict[str, str]:
    """What lets the trials of a store go on in its copy; `key` decides on sides in a file, a server has its own.

    A person's key stays with the person. So sides are checked here, and the copy is told which sessions were checked.
    """
    facts: dict[str, str] = {}
    with source.read() as transaction:
        shared = trials.shared_key(transaction)
        moved: dict[str, MovedSessions] = {}
        for trial in trials.list_everywhere(transaction):
            entered = trials.sessions(transaction, trial)
            own = {one.session for one in own_sessions(transaction, key or shared, trial, entered)}
            wrong = tuple(one.session for one in entered if one.session not in own)
            moved[trial.id] = MovedSessions(max((one.entered for one in entered), default=0), wrong)
    if moved:
        facts[trials.MOVED] = json.dumps(moved)
    return facts | ({trials.KEY: shared.hex()} if shared and not key else {})


def place_of(text: str) -> str:
    """A store's place as it is noted and shown: an address without its password, or a file's whole path."""
    return PASSWORD.sub(r"\1", text) if text.startswith(SERVER) else str(file_of(text))


def file_of(text: str) -> Path:
    """The database file that a path means: itself, or that of a state folder or of a workspace."""
    path = Path(text).expanduser().absolute()
    if not path.is_dir() or (path / DATABASE).exists():
        return path / DATABASE if path.is_dir() else path
    return require_place(path, state_home(os.environ)).state / DATABASE


def _open_source(text: str) -> Engine:
    """The store to read; everything in it must have this version's schema."""
    engine = _engine(text)
    if not text.startswith(SERVER) and not file_of(text).is_file():
        raise NotFoundError(f"There is no store at {file_of(text)}. Name a database file, a workspace, or a server.")
    with engine.read() as transaction:
        if not migrate.check(migrate.version(transaction)):
            raise ConfigError("The source is from an older Metier. Open it once with this version: metier doctor")
        if not text.startswith(SERVER) and (lost := meta.get(transaction, meta.LOST)):
            raise RefusedError(loss_text(file_of(text).parent, lost))
        if meta.get(transaction, meta.COPIED_FROM):
            raise ConfigError("The source is itself an unfinished copy. Finish that one first.")
    return engine


def _open_target(text: str, now: str) -> Engine:
    """The store to write, with this version's schema."""
    if not text.startswith(SERVER) and not (file_of(text).parent / RECORDS).is_file():
        raise ConfigError(f"{file_of(text).parent} is no state folder of yours. Make the workspace first: metier init")
    engine = _engine(text)
    migrate.migrate(engine, now)
    return engine


def _engine(text: str) -> Engine:
    if text.startswith(SERVER):
        from metier.store.engines.postgres import PostgresEngine

        return cast("Engine", PostgresEngine(text, wait=WAIT))
    from metier.store.engines.sqlite import SqliteEngine

    file = file_of(text)
    return SqliteEngine(file, lock=file.with_name(LOCK), wait=WAIT)
