"""Import sessions: each run is stored once, and a file that grew is continued where the last import ended."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from metier.capture import registry
from metier.capture.find_sessions import is_session_ignored, open_file, open_session
from metier.capture.report import FileReport
from metier.capture.source import HEADLESS, Captured, Rewound, Session, Skipped
from metier.context.audit import note_action
from metier.errors import UnreadableError
from metier.events import Advanced, Began, Ended
from metier.runs.record import records_of, store_records, why_closed
from metier.store.tables.runs import listing, runs
from metier.store.tables.runs import transcripts as files
from metier.types import Delivery, Record, Run

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from metier.capture.source import Source
    from metier.context.context import Context
    from metier.events import Event
    from metier.store.engines.engine import Transaction

BATCH_RUNS = 50
"""Runs per transaction, at most."""
BATCH_CHARACTERS = 1024 * 1024
"""Characters of runs that are held before they are stored."""
BEGINNING_BYTES = 1024
"""Bytes that are compared to see whether a file grew or was rewritten."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _FileState:
    """The size and the fingerprint of a session's files."""

    size: int
    fingerprint: str
    extent: str = files.WHOLE
    """What was read of the files before the place where reading continues."""


def import_sessions(
    ctx: Context, source: Source, sessions: Sequence[Session], reports: list[FileReport]
) -> Iterator[Event]:
    """Import each session, add one report per session to `reports`, and yield the progress."""
    total = sum(os.path.getsize(file) for session in sessions for file in session.files if os.path.exists(file))  # noqa: PTH110, PTH202
    yield Began(stage=f"import {source.name}", total=total)
    done = 0
    for session in sorted(sessions, key=_time_of_change):
        report = FileReport(file=session.main, source=source.name)
        reports.append(report)
        import_session(ctx, source, session, report)
        done += sum(os.path.getsize(file) for file in session.files if os.path.exists(file))  # noqa: PTH110, PTH202
        yield Advanced(stage=f"import {source.name}", done=done, total=total, note=Path(session.main).name)
    yield Ended(stage=f"import {source.name}", text=f"{sum(report.new for report in reports)} new runs")


def import_session(ctx: Context, source: Source, session: Session, report: FileReport) -> None:
    """Import one session: nothing if it is unchanged, the new part if it grew, all of it otherwise."""
    reason = why_closed(ctx) or (
        "its folder is on the ignore list" if is_session_ignored(session, ctx.config.ignore) else ""
    )
    if reason:
        report.state = "ignored"
        report.skipped.append(Skipped(file=session.main, line=0, reason=reason))
        return
    if ctx.config.record_headless:
        source = registry.including_headless(source)
    try:
        _import_file(ctx, source, session, report)
    except UnreadableError as error:
        report.state = "unreadable"
        report.skipped.append(Skipped(file=session.main, line=0, reason=f"cannot be read: {error.reason}"))


def _import_file(ctx: Context, source: Source, session: Session, report: FileReport) -> None:
    """Import what is new in a session's file; all of it where a setting left something out that it no longer does."""
    seen = _state_of(session)
    with ctx.store.read() as transaction:
        known = files.get(transaction, session.main)
    known = None if known is not None and known.state == "refused" else known
    again = ctx.config.record_headless and known is not None and known.extent != files.WHOLE
    if known is not None and not again and known.position >= 0 and known.content == seen.fingerprint.split(" "):
        report.state = "unchanged"
        _note_unchanged(ctx, source, session, report, known)
        return
    start = 0 if again else _offset_to_continue(session, known)
    if known is not None and start:
        seen = replace(seen, extent=known.extent)
    report.state = "continued" if start else "read"
    if not _read_session(ctx, source, session, report, start, seen):
        report.state = "read"
        _read_session(ctx, source, session, report, 0, replace(seen, extent=files.WHOLE))


def _note_unchanged(
    ctx: Context, source: Source, session: Session, report: FileReport, known: files.TranscriptFile
) -> None:
    """Note that a file holds nothing new, and say again if a setting left something of it out."""
    if known.extent == files.LEFT_OUT:
        report.skipped.append(Skipped(file=session.main, line=0, reason="a program started it", setting=HEADLESS))
    if known.state == "waiting":
        with ctx.store.write() as transaction:
            files.put(transaction, replace(known, source=source.name, state="read", seen=ctx.now()))


def _read_session(
    ctx: Context, source: Source, session: Session, report: FileReport, start: int, seen: _FileState
) -> bool:
    """Store a session's runs from byte `start` on; False if it must be read from the beginning."""
    position = start
    batch: list[Run] = []
    held = 0
    with open_session(session, report.skipped) as streams:
        for found in source.parse(streams, start):
            match found:
                case Rewound():
                    return False
                case Skipped():
                    report.skipped.append(found)
                case Captured() if source.name in registry.COPIES and _is_known(ctx, source, found.run):
                    reason = "its session was imported from the agent's own file"
                    report.skipped.append(Skipped(file=session.main, line=0, reason=reason))
                case Captured():
                    position = max(position, found.offset) if found.file == session.main else position
                    batch.append(found.run)
                    held += _text_length(found.run)
            if len(batch) >= BATCH_RUNS or held > BATCH_CHARACTERS:
                _store_batch(ctx, batch, report)
                batch, held = [], 0
        extent = files.LEFT_OUT if any(one.setting for one in report.skipped) else seen.extent
        _store_batch(ctx, batch, report, end=_file_row(ctx, source, session, position, replace(seen, extent=extent)))
    return True


def _is_known(ctx: Context, source: Source, run: Run) -> bool:
    """Whether the session of a run came from another source already."""
    with ctx.store.read() as transaction:
        return listing.is_in_another_source(transaction, ctx.redact(run.session), source.name)


def _remove_copies(ctx: Context, transaction: Transaction, records: Sequence[Record]) -> None:
    """Remove the runs that copies of these sessions brought before; only the agent's own file counts."""
    own = {one.run.session for one in records if one.run.session and one.run.source not in registry.COPIES}
    found = [
        run
        for session in sorted(own)
        for source in registry.COPIES
        for run in listing.ids_of_source(transaction, session, source)
    ]
    if found:
        runs.remove(transaction, found, ctx.now())
        reason = "the agent's own file of the session was imported"
        note_action(transaction, ctx, f"remove {len(found)} runs", " ".join(found), reason)


def _store_batch(
    ctx: Context, batch: Sequence[Run], report: FileReport, end: files.TranscriptFile | None = None
) -> None:
    """Store a batch of runs; the last batch also stores how far the file was read."""
    checked = records_of(ctx, batch)
    records = [one for one in checked if isinstance(one, Record)]
    report.needs_retry |= any(isinstance(one, Delivery) and one.how == "refused" for one in checked)
    kept: Iterator[Delivery] = iter(())
    if records or end is not None:
        with ctx.store.write() as transaction:
            kept = iter(store_records(transaction, records))
            _remove_copies(ctx, transaction, records)
            if end is not None:
                files.put(transaction, replace(end, position=0, fingerprint="") if report.needs_retry else end)
    for run, one in zip(batch, checked, strict=True):
        report.add_run(run, next(kept) if isinstance(one, Record) else one)


def _file_row(ctx: Context, source: Source, session: Session, position: int, seen: _FileState) -> files.TranscriptFile:
    return files.TranscriptFile(
        workspace=ctx.name,
        path=session.main,
        source=source.name,
        position=position,
        size=seen.size,
        fingerprint=f"{seen.fingerprint} {seen.extent}".strip(),
        state="read",
        seen=ctx.now(),
    )


def _state_of(session: Session) -> _FileState:
    """The size and the fingerprint: the beginning of the main file, and the size and time of change of every file."""
    with open_file(session.main, session.origin) as stream:
        beginning = stream.read(BEGINNING_BYTES)
    states = [os.stat(file) for file in session.files if os.path.exists(file)]  # noqa: PTH110, PTH116
    main, *others = [f"{state.st_size}:{state.st_mtime_ns}" for state in states]
    parts = (blake2b(beginning, digest_size=8).hexdigest(), _digest(others), main)
    return _FileState(size=states[0].st_size, fingerprint=" ".join(parts))


def _offset_to_continue(session: Session, known: files.TranscriptFile | None) -> int:
    """The byte to continue at; 0 if the file was rewritten or the files of its sub-agents changed."""
    if known is None or known.position <= 0 or not known.fingerprint:
        return 0
    seen = _state_of(session)
    same = known.content[:2] == seen.fingerprint.split(" ")[:2]
    return known.position if same and seen.size >= known.size else 0


def _time_of_change(session: Session) -> tuple[float, str]:
    """The time when a session was last written; older sessions are imported first."""
    return (os.path.getmtime(session.main) if os.path.exists(session.main) else 0.0, session.main)  # noqa: PTH110, PTH204


def _digest(texts: Sequence[str]) -> str:
    return blake2b("\n".join(texts).encode(), digest_size=8).hexdigest()


def _text_length(run: Run) -> int:
    return len(run.message) + len(run.output) + sum(len(tool.input) + len(tool.output) for tool in run.tools)
