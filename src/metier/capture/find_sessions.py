"""Finding session files: what a person names, and what this machine has."""

from __future__ import annotations

import glob
import json
import os
import re
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from metier.capture import registry
from metier.errors import InputError
from metier.hooks.workspace import is_ignored

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping, Sequence

    from metier.capture.source import Session, Source

HEAD = 64 * 1024
FOLDER = re.compile(rb'"(?:cwd|workspaceDir)"\s*:\s*("(?:[^"\\]|\\.){1,4096}")')
"""The folder a session worked in, as most agents write it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The sessions of one source that were found on this machine for this workspace."""

    source: Source
    sessions: tuple[Session, ...]

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(_size(file) for session in self.sessions for file in session.files)


def head(path: str) -> bytes:
    """The first bytes of a file; none if it cannot be read."""
    try:
        with Path(path).open("rb") as file:
            return file.read(HEAD)
    except OSError:
        return b""


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """What a person's files and folders hold: sessions, and what could not be looked into."""

    sessions: tuple[Session, ...]
    unreadable: tuple[str, ...] = ()


def named(source: Source, paths: Sequence[str]) -> Named:
    """The sessions in the files and folders a person named; InputError where one of them has none."""
    sessions: dict[str, Session] = {}
    unreadable: list[str] = []
    for path in paths:
        given = Path(path).expanduser().absolute()
        if given.is_dir():
            files, closed = _in_folder(source, given)
            unreadable += closed
            found = source.sessions(files, head)
        else:
            _check(source, given)
            found = whole_session(source, str(given))
        sessions |= {session.main: session for session in found}
    return Named(sessions=tuple(sessions.values()), unreadable=tuple(unreadable))


def whole_session(source: Source, path: str) -> Iterator[Session]:
    """The session of one main file, with the files of its sub-agents, which lie below or beside it."""
    main = Path(path)
    below = [str(file) for file in main.with_suffix("").rglob("*") if file.is_file()]
    beside = [str(file) for file in main.parent.glob("agent-*") if file.is_file()]
    return (session for session in source.sessions([path, *below, *beside], head) if session.main == path)


def on_this_machine(root: Path, environ: Mapping[str, str], *, everywhere: bool) -> Iterator[Group]:
    """What each agent has kept here of this workspace's folder, or of all folders."""
    home = environ.get("HOME") or str(Path.home())
    for name in registry.source_names():
        source = registry.find_source(name)
        paths = [path for place in source.places(environ, home) for path in glob.iglob(place, recursive=True)]  # noqa: PTH207
        sessions = source.sessions(sorted(path for path in paths if os.path.isfile(path)), head)  # noqa: PTH113
        kept = tuple(session for session in sessions if everywhere or _belongs(session, root))
        if kept:
            yield Group(source=source, sessions=kept)


def folder_of(session: Session) -> str | None:
    """The folder a session worked in, if its file says so near the beginning."""
    match = FOLDER.search(head(session.main))
    if match is None:
        return None
    try:
        return str(json.loads(match.group(1)))
    except ValueError:
        return None


def ignored(session: Session, patterns: Sequence[str]) -> bool:
    """Whether a session worked in a folder on the ignore list."""
    folder = folder_of(session) if patterns else None
    return folder is not None and is_ignored(folder, patterns)


@contextmanager
def opened(session: Session) -> Generator[dict[str, BinaryIO]]:
    """The session's files, open, the main one first; sub-agents' files that are gone by now are left out."""
    with ExitStack() as stack:
        files: dict[str, BinaryIO] = {session.main: stack.enter_context(Path(session.main).open("rb"))}
        for other in session.others:
            if os.access(other, os.R_OK):
                files[other] = stack.enter_context(Path(other).open("rb"))
        yield files


def _belongs(session: Session, root: Path) -> bool:
    folder = folder_of(session)
    return folder is not None and Path(folder).is_relative_to(root)


def _in_folder(source: Source, folder: Path) -> tuple[list[str], list[str]]:
    """The source's files in a folder, and what in it cannot be read."""
    closed: list[str] = []
    files: list[str] = []
    for place, _, names in os.walk(folder, onerror=lambda error: closed.append(str(error.filename))):
        files += [os.path.join(place, name) for name in names]  # noqa: PTH118
    files = sorted(file for file in files if os.path.isfile(file))  # noqa: PTH113
    closed += [file for file in files if not os.access(file, os.R_OK)]
    found = [path for path in files if source.claims(path, head(path))]
    if found or closed:
        return found, closed
    other = next((name for path in files if (name := registry.guess_source(path, head(path))) is not None), None)
    hint = f"it holds files of {other}: metier import {other} {folder}" if other else "is it the right folder?"
    raise InputError(f"{folder} holds no session of {source.title}; {hint}")


def _check(source: Source, file: Path) -> None:
    try:
        with file.open("rb") as stream:
            beginning = stream.read(HEAD)
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}.") from None
    if source.claims(str(file), beginning):
        return
    other = registry.guess_source(str(file), beginning)
    hint = f"it looks like {other}: metier import {other} {file}" if other else "nor like that of another known agent"
    raise InputError(f"{file} does not look like a session of {source.title}; {hint}.")


def _size(path: str) -> int:
    try:
        return os.path.getsize(path)  # noqa: PTH202
    except OSError:
        return 0
