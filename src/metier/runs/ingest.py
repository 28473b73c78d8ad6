"""Taking in the spool: each file's content exactly once, whoever opens the workspace next."""

from __future__ import annotations

import os
import re
import time
from typing import TYPE_CHECKING, cast, get_args

from metier.errors import InputError, MetierError, UnreadableError
from metier.foreign_files import read_foreign
from metier.formats.run_json import parse_run
from metier.formats.strict_json import clean, load_json
from metier.hooks import spool
from metier.hooks.trial import WITH, WITHOUT
from metier.runs.record import records_of, store_records, why_closed
from metier.store.tables.learning import told
from metier.store.tables.runs import spooled
from metier.store.tables.runs import transcripts as files
from metier.store.tables.selection import selections
from metier.types import Candidate, Delivery, Record, Selection
from metier.types.lessons import ToldHow, ToldLesson
from metier.types.selections import Assignment

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from metier.context.context import Context
    from metier.store.engines.engine import Transaction
    from metier.types.selections import Arm

SELECTION_ID = re.compile(r"[0-9a-f]{32}")


def selection_of(ctx: Context, note: Mapping[str, object]) -> Selection:
    """The selection in a note; InputError when it is none."""
    name = str(note.get("id"))
    if not SELECTION_ID.fullmatch(name):
        raise InputError("the selection has no id")
    handed, withheld = _candidates(note.get("chosen")), _candidates(note.get("withheld"))
    names = tuple(one.skill for one in handed)
    pinned = note.get("pinned")
    return Selection(
        id=name,
        workspace=ctx.name,
        query=ctx.redact(clean(str(note.get("query") or ""))),
        candidates=(*handed, *withheld),
        chosen=names,
        chosen_hashes=tuple(one.hash for one in handed),
        pinned=tuple(one for one in names if one in pinned) if isinstance(pinned, list) else (),
        withheld=withheld,
        trials=_assignments(note.get("trials")),
        stages=(f"hook: {len(names)} by score ({', '.join(names)})",),
        agent=ctx.redact(clean(str(note.get("agent") or ""))),
        session=ctx.redact(clean(str(note.get("session") or ""))),
        created=_moment(ctx, note),
    )


def _candidates(value: object) -> tuple[Candidate, ...]:
    rows = cast("list[object]", value)[:MOST] if isinstance(value, list) else []
    fields = [cast("Mapping[str, object]", row) for row in rows if isinstance(row, dict)]
    try:
        return tuple(
            Candidate(
                skill=clean(str(one["skill"])), hash=clean(str(one["hash"])), score=float(cast("float", one["score"]))
            )
            for one in fields
        )
    except (KeyError, TypeError, ValueError):
        raise InputError("the selection names no skills") from None


def _assignments(value: object) -> tuple[Assignment, ...]:
    rows = cast("list[object]", value)[:MOST] if isinstance(value, list) else []
    fields = [cast("Mapping[str, object]", row) for row in rows if isinstance(row, dict)]
    return tuple(
        Assignment(
            trial=clean(str(one.get("trial"))), skill=clean(str(one.get("skill"))), arm=cast("Arm", one.get("arm"))
        )
        for one in fields
        if one.get("arm") in (WITH, WITHOUT)
    )


def _moment(ctx: Context, note: Mapping[str, object]) -> str:
    """When it was made, as the hook's clock said it."""
    made = str(note.get("created") or "")
    return made if re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", made) else ctx.now()


LESSON_ID = re.compile(r"[0-9a-z]{1,64}")
REQUEST = re.compile(r"[0-9a-f]{32}|")
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
MOST = 100
"""Skills of one selection, and lessons of one note."""


def told_of(ctx: Context, note: Mapping[str, object]) -> tuple[ToldLesson, ...]:
    """The lessons in a note; InputError when it is none."""
    how, request, named = str(note.get("how")), str(note.get("request") or ""), note.get("lessons")
    if how not in get_args(ToldHow) or not REQUEST.fullmatch(request) or not isinstance(named, list):
        raise InputError("the note does not say which lessons an agent was told")
    ids = [str(one) for one in cast("list[object]", named)[:MOST]]
    if not all(LESSON_ID.fullmatch(one) for one in ids):
        raise InputError("the note names a lesson that cannot be one")
    created = str(note.get("created") or "")
    session = ctx.redact(clean(str(note.get("session") or "")))
    moment = created if MOMENT.fullmatch(created) else ctx.now()
    return tuple(
        ToldLesson(lesson=one, session=session, request=request, how=cast("ToldHow", how), created=moment)
        for one in ids
    )


BATCH = 200
"""Files per transaction."""
BAD = "bad"
"""Where files go that cannot be read: kept for a person to look at."""
LARGEST, SECONDS = spool.OBJECT_LIMIT * 2, 30.0
"""Bytes of a file, and seconds for reading it."""
STALE = 3600
"""Seconds after which a half-written file has no writer any more."""
Entry = Record | files.TranscriptFile | Delivery | Selection | tuple[ToldLesson, ...]
"""What can come of a spool file."""


def ingest_spool(ctx: Context) -> list[Delivery]:
    """Store what lies in the spool, then take the files away; a crash in between repeats nothing."""
    folder = ctx.state / spool.SPOOL
    names = waiting_files(folder)
    done: list[Delivery] = []
    if not names or why_closed(ctx) or not os.access(folder, os.W_OK):
        return done
    for start in range(0, len(names), BATCH):
        done += _ingest(ctx, folder, names[start : start + BATCH])
    return done


def has_waiting_transcripts(ctx: Context) -> bool:
    """Whether hooks pointed at transcripts that are not read yet."""
    with ctx.store.read() as transaction:
        return bool(files.waiting(transaction))


def waiting_files(folder: Path) -> list[str]:
    """Names of the files to take in, oldest first."""
    try:
        return sorted(name for name in os.listdir(folder) if name.endswith((".json", spool.PART)))  # noqa: PTH208
    except OSError:
        return []


def _ingest(ctx: Context, folder: Path, names: list[str]) -> list[Delivery]:
    entries = {name: _read(ctx, folder / name) for name in names if name.endswith(".json")}
    with ctx.store.write() as transaction:
        known = spooled.known_names(transaction)
        # read before the lock was held: a file that is gone by now was ingested by another process
        fresh = {name: entry for name, entry in entries.items() if name not in known and (folder / name).exists()}
        records = [entry for entry in fresh.values() if isinstance(entry, Record)]
        done = store_records(transaction, records)
        for entry in fresh.values():
            _put(transaction, entry)
        done += [entry for entry in fresh.values() if isinstance(entry, Delivery)]
        spooled.forget(transaction, [name for name in known if not (folder / name).exists()])
        spooled.add(transaction, fresh.keys(), ctx.now())
    _clear(folder, entries, names)
    return done


def _put(transaction: Transaction, entry: Entry | None) -> None:
    """Keep what is neither a run nor a refusal."""
    if isinstance(entry, files.TranscriptFile):
        files.put_waiting(transaction, entry)
    elif isinstance(entry, Selection):
        selections.put(transaction, entry)
    elif isinstance(entry, tuple):
        told.add(transaction, entry)


def _clear(folder: Path, entries: dict[str, Entry | None], names: list[str]) -> None:
    """Take ingested files away, put unreadable ones aside, drop what a killed hook left half written."""
    for name in names:
        file = folder / name
        entry = entries.get(name)
        try:
            if isinstance(entry, Delivery) and entry.how == "refused":
                (folder / BAD).mkdir(mode=0o700, exist_ok=True)
                file.rename(folder / BAD / name)
                spool.log_error(str(folder.parent), f"{name}: {entry.reason}")
            elif name in entries or time.time() - file.stat().st_mtime > STALE:
                file.unlink()
        except FileNotFoundError:
            continue
    spool.sync_folder(str(folder))


def _read(ctx: Context, file: Path) -> Entry | None:
    """What a spool file holds: a run, a reference to a transcript, a selection, or why it is none of them."""
    try:
        with read_foreign(file, file.parent, LARGEST, SECONDS) as stream:
            return _entry(ctx, load_json(stream.read()))
    except UnreadableError as error:  # gone: another process was faster
        return None if error.state == "gone" else Delivery(how="refused", reason=error.reason)
    except (ValueError, RecursionError) as error:
        return Delivery(how="refused", reason=f"not readable as spooled JSON: {error}")
    except MetierError as error:
        return Delivery(how="refused", reason=str(error))


def _entry(ctx: Context, entry: object) -> Entry:
    fields = cast("dict[str, object]", entry) if isinstance(entry, dict) else {}
    if fields.get("kind") == "run":
        return records_of(ctx, [parse_run(fields.get("run"), source="spool")], "parsed")[0]
    if fields.get("kind") == "reference" and isinstance(path := fields.get("path"), str):
        if clean(path) != path:
            raise InputError("the path of the transcript holds what no path can hold")
        session = clean(str(fields.get("session")))
        return files.TranscriptFile(workspace=ctx.name, path=path, source="", session=session, seen=ctx.now())
    if fields.get("kind") == "selection":
        return selection_of(ctx, fields)
    if fields.get("kind") == "told":
        return told_of(ctx, fields)
    raise InputError("the file is not a spooled run, reference, selection or note of lessons")
