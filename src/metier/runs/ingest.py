"""Taking in the spool: each file's content exactly once, whoever opens the workspace next."""

from __future__ import annotations

import os
import stat
import time
from pathlib import Path
from typing import TYPE_CHECKING, cast

from metier.errors import InputError, MetierError
from metier.formats.run_json import parse_run
from metier.formats.strict_json import load_json
from metier.hooks import spool
from metier.runs.record import records_of, store_records, why_closed
from metier.runs.spooled_lessons import told_of
from metier.runs.spooled_selection import selection_of
from metier.store.tables.learning import told
from metier.store.tables.runs import spooled
from metier.store.tables.runs import transcripts as files
from metier.store.tables.selection import selections
from metier.types import Delivery, Record, Selection
from metier.types.lessons import ToldLesson

if TYPE_CHECKING:
    from metier.context.context import Context
    from metier.store.engines.engine import Transaction

BATCH = 200
"""Files per transaction."""
BAD = "bad"
"""Where files go that cannot be read: kept for a person to look at."""
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
    read = {name: _read(ctx, folder / name) for name in names if name.endswith(".json")}
    entries = {name: entry for name, entry in read.items() if not isinstance(entry, _Elsewhere)}
    names = [name for name in names if not isinstance(read.get(name), _Elsewhere)]
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


class _Elsewhere:
    """What a hook of another workspace left in a state folder that several share."""


def _read(ctx: Context, file: Path) -> Entry | _Elsewhere | None:
    """What a spool file holds: a run, a reference to a transcript, a selection, or why it is none of them."""
    try:
        state = file.lstat()
        if not stat.S_ISREG(state.st_mode):
            return Delivery(how="refused", reason="not a plain file")
        if state.st_size > spool.OBJECT_LIMIT * 2:
            return Delivery(how="refused", reason="larger than any spooled run can be")
        entry = load_json(file.read_bytes())
        return _Elsewhere() if _is_elsewhere(ctx, entry) else _entry(ctx, entry)
    except FileNotFoundError:
        return None  # another process was faster
    except (OSError, ValueError, RecursionError) as error:
        return Delivery(how="refused", reason=f"not readable as spooled JSON: {error}")
    except MetierError as error:
        return Delivery(how="refused", reason=str(error))


def _is_elsewhere(ctx: Context, entry: object) -> bool:
    """Whether an entry belongs to another of the workspaces that share this state folder."""
    folder = cast("dict[str, object]", entry).get("folder") if isinstance(entry, dict) else None
    shared = ctx.state.parent != ctx.root
    return shared and isinstance(folder, str) and not Path(folder).is_relative_to(ctx.root)


def _entry(ctx: Context, entry: object) -> Entry:
    fields = cast("dict[str, object]", entry) if isinstance(entry, dict) else {}
    if fields.get("kind") == "run":
        return records_of(ctx, [parse_run(fields.get("run"), source="spool")], "parsed")[0]
    if fields.get("kind") == "reference" and isinstance(path := fields.get("path"), str):
        return files.TranscriptFile(
            workspace=ctx.name, path=path, source="", session=str(fields.get("session")), seen=ctx.now()
        )
    if fields.get("kind") == "selection":
        return selection_of(ctx, fields)
    if fields.get("kind") == "told":
        return told_of(ctx, fields)
    raise InputError("the file is not a spooled run, reference, selection or note of lessons")
