"""Find session files: those that a person names, and those that agents wrote on this machine."""

from __future__ import annotations

import glob
import json
import os
import re
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from metier.capture import registry
from metier.capture.source import Skipped
from metier.context.context import settings_for
from metier.errors import ConfigError, InputError, UnreadableError
from metier.foreign_files import ForeignFile, read_foreign
from metier.hooks.workspace import is_ignored

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping, Sequence

    from metier.capture.source import Session, Source

HEAD_BYTES = 64 * 1024
MOST_BYTES = 4 * 1024**3
"""Bytes of the largest file of a session that is read."""
SECONDS = 300.0
"""Seconds that reading one may take, besides the work on it."""
FOLDER_FIELD = re.compile(rb'"(?:cwd|workspaceDir|workspace_id)"\s*:\s*("(?:[^"\\]|\\.){1,4096}")')
"""The field with the folder of a session, as most agents write it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceSessions:
    """The sessions of one source on this machine that belong to this workspace."""

    source: Source
    sessions: tuple[Session, ...]

    @property
    def size(self) -> int:
        """The bytes of all files."""
        return sum(_size_of(file) for session in self.sessions for file in session.files)


def open_file(path: str, origin: tuple[str, ...]) -> ForeignFile:
    """A file of a session, opened for reading; UnreadableError says why not."""
    return read_foreign(path, origin or (str(Path(path).parent),), MOST_BYTES, SECONDS)


def read_head(path: str, origin: tuple[str, ...]) -> bytes:
    """The first 64 KiB of a file; empty if it cannot be read."""
    try:
        with open_file(path, origin) as file:
            return file.read(HEAD_BYTES)
    except UnreadableError:
        return b""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedSessions:
    """The sessions in the files and folders that a person named, and the files that cannot be read."""

    sessions: tuple[Session, ...]
    unreadable: tuple[UnreadableError, ...] = ()


def find_named_sessions(source: Source, paths: Sequence[str]) -> NamedSessions:
    """Find the sessions in files and folders; an InputError says which one contains no session."""
    sessions: dict[str, Session] = {}
    unreadable: list[UnreadableError] = []
    for path in paths:
        given = Path(path).expanduser().absolute()
        if given.is_dir():
            origin = (str(given),)
            files = _files_in_folder(source, given, unreadable)
            found = _sessions_of(source, files, origin)
        else:
            origin = (str(given.parent), os.path.dirname(os.path.realpath(given)))  # noqa: PTH120 - a link is meant as it is
            _check_file(source, given, origin)
            found = session_of(source, str(given), origin)
        sessions |= {session.main: session for session in found}
    return NamedSessions(sessions=tuple(sessions.values()), unreadable=tuple(unreadable))


def session_of(source: Source, path: str, origin: tuple[str, ...]) -> Iterator[Session]:
    """The session of one main file, with the files of its sub-agents, which are below it or beside it."""
    main = Path(path)
    below = [str(file) for file in main.with_suffix("").rglob("*") if file.is_file()]
    beside = [str(file) for file in main.parent.glob("agent-*") if file.is_file()]
    return (one for one in _sessions_of(source, [path, *below, *beside], origin) if one.main == path)


def _sessions_of(source: Source, files: Sequence[str], origin: tuple[str, ...]) -> Iterator[Session]:
    """Files grouped into sessions that know where they belong."""
    head = partial(read_head, origin=origin)
    return (replace(session, origin=origin) for session in source.sessions(files, head))


def places_of(source: Source, environ: Mapping[str, str], home: str) -> tuple[str, ...]:
    """The folders in which an agent keeps its sessions."""
    return tuple(dict.fromkeys(place.partition("*")[0].rpartition("/")[0] for place in source.places(environ, home)))


def find_local_sessions(root: Path, environ: Mapping[str, str], *, everywhere: bool) -> Iterator[SourceSessions]:
    """Find the sessions of all agents in this folder and below it, or in all folders.

    The sources read what programs started, too, if the settings of the folder say so.
    """
    home = environ.get("HOME") or str(Path.home())
    headless = _records_headless(root, environ)
    for name in registry.source_names():
        source = registry.find_source(name)
        source = registry.including_headless(source) if headless else source
        paths = [path for place in source.places(environ, home) for path in glob.iglob(place, recursive=True)]  # noqa: PTH207
        files = sorted(path for path in paths if os.path.isfile(path))  # noqa: PTH113
        sessions = _sessions_of(source, files, _origin_of(source, environ, home, root))
        kept = tuple(session for session in sessions if everywhere or _is_in_folder(session, root))
        if kept:
            yield SourceSessions(source=source, sessions=kept)


def _origin_of(source: Source, environ: Mapping[str, str], home: str, root: Path) -> tuple[str, ...]:
    """Where the files of an agent lie: its own folders; for folders within a project, the project."""
    own = root != Path(home)
    return tuple(
        str(root) if own and Path(one).is_relative_to(root) else one for one in places_of(source, environ, home)
    )


def _records_headless(root: Path, environ: Mapping[str, str]) -> bool:
    """Whether the settings of a folder include what programs started; settings that are not valid do not."""
    try:
        return settings_for(root, None, environ).config.record_headless
    except ConfigError:
        return False


def count_left_out(root: Path, environ: Mapping[str, str], *, everywhere: bool) -> int:
    """How many sessions are left out because a program started them and the setting record_headless is off."""
    groups = find_local_sessions(root, environ, everywhere=everywhere)
    return sum(_is_left_out(one.source, session) for one in groups for session in one.sessions)


def _is_left_out(source: Source, session: Session) -> bool:
    if getattr(source, "headless", True):
        return False
    test = registry.program_test(source)
    if test is not None:
        return test(read_head(session.main, session.origin))
    try:
        with open_session(session, []) as files:
            return any(isinstance(one, Skipped) and one.setting for one in source.parse(files))
    except UnreadableError:
        return False


def folder_of(session: Session) -> str | None:
    """The folder of a session; None if its file does not name it near the beginning."""
    match = FOLDER_FIELD.search(read_head(session.main, session.origin))
    if match is None:
        return None
    try:
        return str(json.loads(match.group(1)))
    except ValueError:
        return None


def is_session_ignored(session: Session, patterns: Sequence[str]) -> bool:
    """Whether the folder of a session is on the ignore list."""
    folder = folder_of(session) if patterns else None
    return folder is not None and is_ignored(folder, patterns)


@contextmanager
def open_session(session: Session, skipped: list[Skipped]) -> Generator[dict[str, BinaryIO]]:
    """Open the session's files, the main one first; a sub-agent's file that cannot be read is left out and noted."""
    origin = session.origin or (str(Path(session.main).parent),)
    with ExitStack() as stack:
        files: dict[str, BinaryIO] = {session.main: stack.enter_context(open_file(session.main, origin))}
        for other in session.others:
            try:
                files[other] = stack.enter_context(open_file(other, origin))
            except UnreadableError as error:
                if error.state != "gone":
                    skipped.append(Skipped(file=other, line=0, reason=f"cannot be read: {error.reason}"))
        yield files


def _is_in_folder(session: Session, root: Path) -> bool:
    folder = folder_of(session)
    return folder is not None and Path(folder).is_relative_to(root)


def _files_in_folder(source: Source, folder: Path, unreadable: list[UnreadableError]) -> list[str]:
    """The files in a folder that the source can read; those that cannot be read at all are noted."""
    before = len(unreadable)
    closed: list[str] = []
    files: list[str] = []
    for place, _, names in os.walk(folder, onerror=lambda error: closed.append(str(error.filename))):
        files += [os.path.join(place, name) for name in names]  # noqa: PTH118
    unreadable += [UnreadableError(file, "this user may not look into it") for file in closed]
    found: list[str] = []
    other: str | None = None
    for path in sorted(files):
        try:
            with open_file(path, (str(folder),)) as file:
                head = file.read(HEAD_BYTES)
        except UnreadableError as error:
            unreadable += [error] if error.state != "gone" else []
            continue
        if source.claims(path, head):
            found.append(path)
        elif not found and other is None:
            other = registry.guess_source(path, head)
    if found or len(unreadable) > before:
        return found
    hint = f"It contains {other} sessions. Try: metier import {other} {folder}" if other else "Check the path."
    raise InputError(f"{folder} contains no {source.title} session. {hint}")


def _check_file(source: Source, file: Path, origin: tuple[str, ...]) -> None:
    with open_file(str(file), origin) as stream:
        beginning = stream.read(HEAD_BYTES)
    if source.claims(str(file), beginning):
        return
    other = registry.guess_source(str(file), beginning)
    hint = f"It looks like {other}. Try: metier import {other} {file}" if other else "No other source knows it either."
    raise InputError(f"{file} is not a {source.title} session. {hint}")


def _size_of(path: str) -> int:
    try:
        return os.path.getsize(path)  # noqa: PTH202
    except OSError:
        return 0
