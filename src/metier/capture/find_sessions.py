"""Find session files: those that a person names, and those that agents wrote on this machine."""

from __future__ import annotations

import errno
import glob
import json
import os
import re
import stat
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from metier.capture import registry
from metier.capture.source import Skipped
from metier.context.context import settings_for
from metier.errors import ConfigError, InputError
from metier.hooks.workspace import is_ignored

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping, Sequence

    from metier.capture.source import Session, Source

HEAD_BYTES = 64 * 1024
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


def open_plain(path: str | Path) -> BinaryIO:
    """A plain file, opened for reading; a pipe or a device is an OSError and never waited for."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "it is not a plain file", str(path))
    return os.fdopen(handle, "rb")


def read_head(path: str) -> bytes:
    """The first 64 KiB of a file; empty if it cannot be read."""
    try:
        with open_plain(path) as file:
            return file.read(HEAD_BYTES)
    except OSError:
        return b""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedSessions:
    """The sessions in the files and folders that a person named, and the files that cannot be read."""

    sessions: tuple[Session, ...]
    unreadable: tuple[str, ...] = ()


def find_named_sessions(source: Source, paths: Sequence[str]) -> NamedSessions:
    """Find the sessions in files and folders; an InputError says which one contains no session."""
    sessions: dict[str, Session] = {}
    unreadable: list[str] = []
    for path in paths:
        given = Path(path).expanduser().absolute()
        if given.is_dir():
            files, closed = _files_in_folder(source, given)
            unreadable += closed
            found = source.sessions(files, read_head)
        else:
            _check_file(source, given)
            found = session_of(source, str(given))
        sessions |= {session.main: session for session in found}
    return NamedSessions(sessions=tuple(sessions.values()), unreadable=tuple(unreadable))


def session_of(source: Source, path: str) -> Iterator[Session]:
    """The session of one main file, with the files of its sub-agents, which are below it or beside it."""
    main = Path(path)
    below = [str(file) for file in main.with_suffix("").rglob("*") if file.is_file()]
    beside = [str(file) for file in main.parent.glob("agent-*") if file.is_file()]
    return (session for session in source.sessions([path, *below, *beside], read_head) if session.main == path)


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
        sessions = source.sessions(sorted(path for path in paths if os.path.isfile(path)), read_head)  # noqa: PTH113
        kept = tuple(session for session in sessions if everywhere or _is_in_folder(session, root))
        if kept:
            yield SourceSessions(source=source, sessions=kept)


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
        return test(read_head(session.main))
    try:
        with open_session(session) as files:
            return any(isinstance(one, Skipped) and one.setting for one in source.parse(files))
    except OSError:
        return False


def folder_of(session: Session) -> str | None:
    """The folder of a session; None if its file does not name it near the beginning."""
    match = FOLDER_FIELD.search(read_head(session.main))
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
def open_session(session: Session) -> Generator[dict[str, BinaryIO]]:
    """Open the session's files, the main one first; files of sub-agents that no longer exist are left out."""
    with ExitStack() as stack:
        files: dict[str, BinaryIO] = {session.main: stack.enter_context(open_plain(session.main))}
        for other in session.others:
            if os.path.isfile(other) and os.access(other, os.R_OK):  # noqa: PTH113
                files[other] = stack.enter_context(open_plain(other))
        yield files


def _is_in_folder(session: Session, root: Path) -> bool:
    folder = folder_of(session)
    return folder is not None and Path(folder).is_relative_to(root)


def _files_in_folder(source: Source, folder: Path) -> tuple[list[str], list[str]]:
    """The files in a folder that the source can read, and the files that nobody may read."""
    closed: list[str] = []
    files: list[str] = []
    for place, _, names in os.walk(folder, onerror=lambda error: closed.append(str(error.filename))):
        files += [os.path.join(place, name) for name in names]  # noqa: PTH118
    files = sorted(file for file in files if os.path.isfile(file))  # noqa: PTH113
    closed += [file for file in files if not os.access(file, os.R_OK)]
    found = [path for path in files if source.claims(path, read_head(path))]
    if found or closed:
        return found, closed
    other = next((name for path in files if (name := registry.guess_source(path, read_head(path))) is not None), None)
    hint = f"It contains {other} sessions. Try: metier import {other} {folder}" if other else "Check the path."
    raise InputError(f"{folder} contains no {source.title} session. {hint}")


def _check_file(source: Source, file: Path) -> None:
    try:
        with open_plain(file) as stream:
            beginning = stream.read(HEAD_BYTES)
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}.") from None
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
