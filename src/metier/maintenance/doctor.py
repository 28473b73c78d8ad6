"""The doctor: what is wrong with this machine and this workspace, and how to put it right."""

from __future__ import annotations

import importlib.util
import os
import platform
import shutil
import sqlite3
import stat
import sys
import time
from contextlib import closing
from typing import TYPE_CHECKING

from metier import config
from metier.config.switch import off_text
from metier.context import state_folder as place
from metier.context.context import open_context
from metier.context.models.access import models_of
from metier.context.own_database import DATABASE, is_gone
from metier.errors import DamagedError, MetierError
from metier.hooks import spool
from metier.hooks.places import USER
from metier.hooks.workspace import KEY
from metier.library.listing import list_skills
from metier.library.skills import Library
from metier.library.versions import journal
from metier.maintenance.agents import check_agents
from metier.maintenance.check import Check
from metier.runs.ingest import BAD, waiting_files
from metier.selection.worth import outcomes
from metier.store.engines.sqlite import reading_uri
from metier.store.tables.runs import full_text as search
from metier.store.tables.runs import runs, transcripts
from metier.text.counts import plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from metier.config import Settings
    from metier.context.context import Context

FIXED = (3, 51, 3)
"""The first SQLite without the race between a write and a reset of the log."""
NEWEST = 10_000
"""Runs whose content is compared with what was stored."""
QUICK, STEPS = 0.7, 2_000
"""Seconds for which a database is read, and steps of SQLite between two looks at the clock."""
UNFINISHED = "unfinished"
UNREAD = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_PERM)
"""What SQLite says of a file that it could not look into, which is no damage."""
RESTORE = "restore a backup: metier restore FILE"
WITHOUT = "; there is none: metier restore --without-backup, then metier import"
FREE = 200 * 1024 * 1024
"""Bytes of free disk below which it is time to worry."""


def check_workspace(
    folder: Path, flags: Mapping[str, object], environ: Mapping[str, str], *, full: bool = False
) -> Iterator[Check]:
    """Look at everything; no finding stops the next one. `full`: read a large database to its end."""
    yield from _machine()
    try:
        found = place.find_place(folder, place.state_home(environ))
        settings = config.load(found.state if found else None, flags, environ)
        models_of(settings)
    except MetierError as error:
        yield Check(name="settings", state="problem", text=str(error), fix="correct it, then run `metier doctor` again")
        return
    yield Check(name="settings", state="ok", text="all known, all valid")
    if off := off_text(settings):
        yield Check(name="settings", state="warning", text=off)
    if found is None:
        yield _no_workspace(folder, environ)
        return
    yield from check_agents(found.root, environ, records_headless=settings.config.record_headless)
    yield from _state(found.state)
    if hint := place.container_hint(found.root, found.state.parent, environ):
        text, _, fix = hint.partition(" To keep it, ")
        yield Check(name="container", state="warning", text=text, fix=fix)
    yield from check_spool(found.state)
    yield from _store(found.root, found.state, settings, flags, environ, full=full)


def _no_workspace(folder: Path, environ: Mapping[str, str]) -> Check:
    """Why there is no workspace in a folder."""
    try:
        place.require_place(folder, place.state_home(environ))
    except MetierError as error:
        return Check(name="workspace", state="warning", text=str(error), fix="run `metier init`")
    return Check(name="workspace", state="ok", text="made just now")


def _machine() -> Iterator[Check]:
    python = platform.python_version()
    good = sys.version_info >= (3, 11)
    yield Check(name="python", state="ok" if good else "problem", text=python, fix="" if good else "use 3.11 or newer")
    system = platform.system()
    if system not in ("Linux", "Darwin"):
        yield Check(name="system", state="problem", text=f"{system} is not supported yet", fix="use Linux or macOS")
    version = sqlite3.sqlite_version
    note = "" if sqlite3.sqlite_version_info >= FIXED else " (older than 3.51.3: writers are kept apart by a lock)"
    yield Check(name="sqlite", state="ok", text=version + note)
    full = any("ENABLE_FTS5" in row[0] for row in sqlite3.connect(":memory:").execute("PRAGMA compile_options"))
    if not full:
        yield Check(name="full text", state="problem", text="this SQLite has no FTS5", fix="use another Python build")
    fast = importlib.util.find_spec("re2") is not None
    yield Check(
        name="redaction",
        state="ok" if fast else "warning",
        text="google-re2" if fast else "google-re2 is missing: the standard library's slower engine is used",
        fix="" if fast else "pip install google-re2",
    )


def _state(state: Path) -> Iterator[Check]:
    yield Check(name="workspace", state="ok", text=str(state))
    for file, wanted in ((state, 0o700), (state.parent / USER / KEY, 0o600)):
        mode = stat.S_IMODE(file.stat().st_mode)
        if mode & 0o077:
            fix = f"chmod {wanted:o} {file}"
            yield Check(name="permissions", state="problem", text=f"{file} is open to others ({mode:o})", fix=fix)
    free = shutil.disk_usage(state).free
    if free < FREE:
        yield Check(name="disk", state="problem", text=f"only {free // 2**20} MB left", fix="free some space")
    if os.statvfs(state).f_flag & os.ST_RDONLY:
        fix = "make its disk writable (permissions are not the reason), or use another folder"
        text = f"{state} is on a disk that is read-only: what is there can be read, nothing new is kept"
        yield Check(name="disk", state="problem", text=text, fix=fix)
    elif not os.access(state, os.W_OK):
        fix = f"chmod u+w {state}, as its owner"
        yield Check(name="permissions", state="problem", text=f"{state} cannot be written", fix=fix)


def check_spool(state: Path) -> Iterator[Check]:
    """What waits in the spool, what could not be read, and the last error of a hook."""
    folder = state / spool.SPOOL
    names = waiting_files(folder)
    yield Check(name="spool", state="ok", text=f"{len(names)} files wait for the next command" if names else "empty")
    bad = list((folder / BAD).glob("*.json")) if (folder / BAD).is_dir() else []
    if bad:
        fix = f"look at them in {folder / BAD}, then delete them"
        yield Check(name="spool", state="warning", text=f"{len(bad)} files could not be read", fix=fix)
    errors = folder / spool.ERRORS
    if errors.is_file():
        last = errors.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1:]
        fix = f"read {errors}, then delete it"
        yield Check(name="hooks", state="warning", text=f"last error: {''.join(last)[:200]}", fix=fix)


def _store(
    root: Path, state: Path, settings: Settings, flags: Mapping[str, object], environ: Mapping[str, str], *, full: bool
) -> Iterator[Check]:
    cut = _cut_off(state / DATABASE)
    if not settings.config.store and is_gone(state):
        text = f"{state / DATABASE} is gone or empty, though there was one: runs, lessons and the audit log were in it"
        yield Check(name="store", state="problem", text=text, fix=RESTORE + WITHOUT)
        return
    try:
        ctx = open_context(root, create=False, flags=flags, environ=environ)
        with closing(ctx.store):
            broken = cut or (damage_of(state / DATABASE, 3600.0 if full else QUICK) if not ctx.config.store else "")
            found = [
                *_loss(ctx),
                *([Check(name="workspace", state="warning", text=ctx.notice)] if ctx.notice else ()),
                *_contents(ctx),
                *_transcripts(ctx),
                *_reading(broken),
                *_skills(Library(ctx=ctx)),
                *hurting_skills(Library(ctx=ctx)),
            ]
    except DamagedError as error:
        yield Check(name="store", state="problem", text=str(error), fix=RESTORE)
        return
    except MetierError as error:
        yield Check(
            name="store",
            state="problem",
            text=str(error),
            fix="do what the message says, then run `metier doctor` again",
        )
        return
    yield from found


def _loss(ctx: Context) -> Iterator[Check]:
    """Whether the database is a new one in the place of one that was lost."""
    if ctx.lost:
        yield Check(name="store", state="problem", text=ctx.loss_text.partition(" Bring")[0], fix=RESTORE + WITHOUT)


def _contents(ctx: Context) -> Iterator[Check]:
    """What is in the store: how much, whether the newest runs are whole, and whether it is nearly full."""
    with ctx.store.read() as transaction:
        count = runs.count(transaction)
        behind = search.behind(transaction)
        harmed = runs.count_damaged(transaction, NEWEST)
        own = runs.total_size(transaction) / 2**20
    yield Check(name="store", state="ok", text=_size_text(count, ctx.store.size() / 2**20, behind))
    if harmed:
        fix = "restore a backup, or remove them: metier runs list shows (damaged record)"
        yield Check(name="store", state="problem", text=f"{harmed} runs are damaged", fix=fix)
    limit = ctx.config.max_disk_mb
    if limit and own > limit * 0.8:
        fix = "raise max_disk_mb or `metier runs purge --older-than DAYS`"
        yield Check(name="store", state="warning", text=f"close to its limit of {limit} MB", fix=fix)


def _transcripts(ctx: Context) -> Iterator[Check]:
    """What hooks pointed at and is never read, each with the reason."""
    with ctx.store.read() as transaction:
        refused = transcripts.waiting(transaction, "refused")
    if refused:
        last = max(refused, key=lambda one: one.seen)
        text = f"{plural(len(refused), 'transcript')} left out for good; the last: {last.path}: {last.fingerprint}"
        yield Check(name="hooks", state="warning", text=text, fix="if it is yours: metier import SOURCE PATH")


def _reading(broken: str) -> Iterator[Check]:
    """What reading the database file showed."""
    if broken == UNFINISHED:
        yield Check(name="store", state="ok", text="read in part", fix="to read all of it: metier doctor --full")
    elif broken:
        yield Check(name="store", state="problem", text=broken, fix=RESTORE)


def _size_text(count: int, size: float, behind: int) -> str:
    late = f", {behind} not in the full-text index yet" if behind else ""
    return f"{count} run{'' if count == 1 else 's'}, {size:.1f} MB{late}"


def _skills(library: Library) -> Iterator[Check]:
    """Whether every version of every skill is there, and no change waits."""
    count = versions = 0
    for root in library.roots:
        if root.leads_away:
            text = f"the skills in {root.path} are not used: {root.link} is a link that leads out of the project"
            yield Check(name="skills", state="warning", text=text, fix="put a folder in its place")
    for store in library.version_stores():
        for root, skill in store.histories.skills():
            past = store.histories.history_of(root, skill)
            count, versions = count + 1, versions + len(past.versions)
            for one in past.damaged:
                fix = "restore the file from a backup; the other versions are not affected"
                yield Check(name="skills", state="problem", text=f"{one.file} cannot be read: {one.reason}", fix=fix)
            kept = {file.object for one in past.versions for file in one.files}
            lost = {name for name in kept if not store.objects.is_whole(name)}
            if lost:
                text = f"{len(lost)} files of versions of {skill} are gone or damaged in {store.objects.folder}"
                yield Check(name="skills", state="problem", text=text, fix="restore them from a backup")
        if not journal.is_clean(store):
            text = f"an unfinished change waits in {store.journal}"
            yield Check(name="skills", state="problem", text=text, fix="make its root reachable, then run any command")
    yield Check(name="skills", state="ok", text=f"{count} with a history, {versions} versions")


def hurting_skills(library: Library) -> Iterator[Check]:
    """Skills that runs surely go better without."""
    current = {one.name: one.hash for one in list_skills(library) if not one.shadowed_by}
    for name, found in outcomes.hurting(library, current).items():
        fix = f"metier skills rollback {name}, or metier skills archive {name}"
        text = f"{name} makes runs worse: {found.reason}; it is no longer selected"
        yield Check(name="skills", state="warning", text=text, fix=fix)


def _cut_off(file: Path) -> str:
    """Whether the file is shorter than its own header says. Looked at before SQLite holds a lock on the file."""
    if not file.is_file():
        return ""
    try:
        with file.open("rb") as stream:
            header = stream.read(32)
            size = stream.seek(0, os.SEEK_END)
    except OSError:
        return ""
    page = int.from_bytes(header[16:18], "big")
    wanted = int.from_bytes(header[28:32], "big") * (65536 if page == 1 else page)
    return f"{file} is damaged: its end is cut off" if size < wanted else ""


def damage_of(file: Path, seconds: float) -> str:
    """What is wrong with a database file, or that the time was too short to read all of it."""
    connection = sqlite3.connect(reading_uri(file), uri=True)
    end = time.monotonic() + seconds
    connection.set_progress_handler(lambda: int(time.monotonic() > end), STEPS)
    try:
        said = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
    except sqlite3.DatabaseError as error:
        said = str(error)
        if said == "interrupted" or getattr(error, "sqlite_errorcode", 0) & 0xFF in UNREAD:
            return UNFINISHED
    finally:
        connection.close()
    return "" if said == "ok" else f"{file} is damaged: {said}"
