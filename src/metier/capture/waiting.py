"""Transcripts that hooks pointed at: read where agents keep their sessions, or left out with the reason."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from metier.agents.known import KNOWN
from metier.capture import registry
from metier.capture.find_sessions import HEAD_BYTES, open_file, places_of, session_of
from metier.capture.import_sessions import import_session
from metier.capture.report import FileReport
from metier.errors import UnreadableError
from metier.hooks import spool
from metier.store.tables.runs import transcripts as files

if TYPE_CHECKING:
    from metier.context.context import Context

LIMIT = 32 * 1024 * 1024
"""Bytes of waiting transcripts that any command reads; longer ones wait for `metier import`."""
PATIENCE = timedelta(days=1)
"""How long a transcript that cannot be read yet is tried again after a hook pointed at it."""


def read_waiting(ctx: Context, limit: int = LIMIT) -> tuple[str, ...]:
    """Import the transcripts that hooks pointed at, the one written to longest ago first, up to `limit` new bytes.

    Returns what is left out for good from now on, each with the reason.
    """
    with ctx.store.read() as transaction:
        waiting = sorted(files.waiting(transaction), key=lambda file: _written(file.path))
    origin = session_folders(ctx) if waiting else ()
    left_out: list[str] = []
    for file in waiting:
        try:
            limit -= _read(ctx, file, origin, limit)
        except UnreadableError as error:
            if error.state == "refused" or _is_old(ctx, file):
                _refuse(ctx, file, error)
                left_out.append(f"{error.path}: {error.reason}")
    return tuple(left_out)


def session_folders(ctx: Context) -> tuple[str, ...]:
    """Where the agents that have hooks keep their sessions; a hook can point nowhere else."""
    environ = {"CLAUDE_CONFIG_DIR": ctx.claude_home, "CODEX_HOME": ctx.codex_home, "COPILOT_HOME": ctx.copilot_home}
    sources = (registry.find_source(one.name) for one in KNOWN if one.has_hooks)
    return tuple(place for one in sources for place in places_of(one, environ, str(ctx.home)))


def _read(ctx: Context, file: files.TranscriptFile, origin: tuple[str, ...], limit: int) -> int:
    """Import one transcript and return its new bytes; 0 if it is too much for now."""
    with open_file(file.path, origin) as stream:
        new = stream.size - file.position
        if not stream.size:
            raise UnreadableError(file.path, "it is still empty", "busy")
        name = file.source or registry.guess_source(file.path, stream.read(HEAD_BYTES))
    if name is None:
        raise UnreadableError(file.path, "it is no session of a known agent", "busy")
    if new <= 0 or new > limit:
        return 0
    source = registry.find_source(name)
    for session in session_of(source, file.path, origin):
        report = FileReport(file=file.path, source=name)
        import_session(ctx, source, session, report)
        if report.state == "unreadable":
            raise UnreadableError(file.path, report.skipped[-1].reason, "busy")
        return new
    raise UnreadableError(file.path, "it belongs to another session", "busy")


def _is_old(ctx: Context, file: files.TranscriptFile) -> bool:
    return ctx.clock() - datetime.fromisoformat(file.seen) > PATIENCE


def _refuse(ctx: Context, file: files.TranscriptFile, error: UnreadableError) -> None:
    """Never try a transcript again, and note why."""
    refused = replace(file, state="refused", position=0, fingerprint=error.reason)
    with ctx.store.write() as transaction:
        files.put(transaction, refused)
    spool.log_error(str(ctx.state), f"{error.path}: {error.reason}")


def _written(path: str) -> float:
    """When a file was last written to; 0 if it is gone or none."""
    try:
        return os.stat(path).st_mtime  # noqa: PTH116 - a path as the hook named it
    except (OSError, ValueError):
        return 0.0
