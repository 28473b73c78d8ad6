"""The changes that connecting makes on disk: each is shown before, written whole, and can be undone exactly."""

from __future__ import annotations

import difflib
import hashlib
import os
import secrets
import shlex
import subprocess
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, assert_never

from metier.errors import RefusedError
from metier.folders import open_below

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


SECONDS = 60
"""The longest that a command of an agent may take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PutFile:
    """A file of Metier's own."""

    path: Path
    data: bytes
    mode: int = 0o644


@dataclass(frozen=True, slots=True, kw_only=True)
class PutLink:
    """A symbolic link."""

    path: Path
    target: Path
    project: Path | None = None
    """The project in which no other link is followed on the way; None: it is the person's own folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EditHooks:
    """Groups of hooks added to, or taken out of, a file that an agent reads."""

    path: Path
    before: bytes | None
    """What is there; None: no file."""
    after: bytes
    is_new: bool
    """Whether there is nothing in the file but what Metier writes."""
    pieces: tuple[str, ...]
    """The texts that were added."""
    groups: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """The added group of each event."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveText:
    """Something taken out of a file that is not Metier's."""

    path: Path
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPrograms:
    """Commands of an agent's own that change its settings, and those that undo them."""

    path: Path
    """The file that they change."""
    before: bytes | None
    """What is in it; None: there is no file."""
    commands: tuple[tuple[str, ...], ...]
    undo: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AddServer:
    """An MCP server added at the end of a settings file in TOML."""

    path: Path
    before: bytes | None
    """What is there; None: no file."""
    after: bytes
    name: str
    piece: str
    """The text that was added."""


Change = PutFile | PutLink | EditHooks | AddServer | RemoveText | RunPrograms


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenFile:
    """A file that was written."""

    path: Path
    hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenLink:
    """A link that was made."""

    path: Path
    target: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenFolder:
    """A folder that was made."""

    path: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenHooks:
    """Groups of hooks that were added to an agent's file."""

    path: Path
    created: str
    """The hash of the file if nothing else is in it; else empty."""
    pieces: tuple[str, ...]
    groups: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenRemoval:
    """Something that was taken out of a file."""

    path: Path
    before: str
    hash: str
    """Of the file afterwards."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenByPrograms:
    """What commands of an agent changed."""

    path: Path
    before: str | None
    """What was in the file; None: there was none."""
    hash: str
    """Of the file afterwards; empty: not known."""
    undo: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenServer:
    """An MCP server that was added to a settings file."""

    path: Path
    created: str
    """The hash of the file if nothing else is in it; else empty."""
    name: str
    piece: str


Written = WrittenFile | WrittenLink | WrittenFolder | WrittenHooks | WrittenServer | WrittenRemoval | WrittenByPrograms


def hash_of(data: bytes) -> str:
    """The hash by which a file is recognised later."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def diff_of(change: Change) -> str:
    """What a change would do, as a person reads it."""
    match change:
        case PutFile():
            return f"new file {change.path}"
        case PutLink():
            return f"new link {change.path} -> {change.target}"
        case EditHooks() | AddServer():
            name = "/dev/null" if change.before is None else str(change.path)
            before = (change.before or b"").decode("utf-8", "replace")
            return _unified(before, change.after.decode("utf-8", "replace"), name, change.path)
        case RemoveText():
            return _unified(change.before, change.after, str(change.path), change.path)
        case RunPrograms():
            return "\n".join(f"run {shlex.join(command)}" for command in change.commands)
        case _:
            assert_never(change)


def _unified(before: str, after: str, name: str, path: Path) -> str:
    parts = (before.splitlines(keepends=True), after.splitlines(keepends=True))
    lines = difflib.unified_diff(*parts, name, str(path), n=1)
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines).rstrip("\n")


def trace_of(change: Change) -> Written:
    """What the manifest keeps of a change."""
    match change:
        case PutFile():
            return WrittenFile(path=change.path, hash=hash_of(change.data))
        case PutLink():
            return WrittenLink(path=change.path, target=change.target)
        case EditHooks():
            created = hash_of(change.after) if change.is_new else ""
            return WrittenHooks(path=change.path, created=created, pieces=change.pieces, groups=change.groups)
        case AddServer():
            created = hash_of(change.after) if change.before is None else ""
            return WrittenServer(path=change.path, created=created, name=change.name, piece=change.piece)
        case RemoveText():
            return WrittenRemoval(path=change.path, before=change.before, hash=hash_of(change.after.encode()))
        case RunPrograms():
            return _trace_of_programs(change)
        case _:
            assert_never(change)


def _trace_of_programs(change: RunPrograms) -> WrittenByPrograms:
    before = None if change.before is None else change.before.decode("utf-8", "replace")
    data = bytes_of(change.path)
    after = hash_of(data) if data is not None and data != change.before else ""
    return WrittenByPrograms(path=change.path, before=before, hash=after, undo=change.undo)


def new_folders(changes: Sequence[Change]) -> list[WrittenFolder]:
    """The folders that the changes need and that are not there yet, the outermost first."""
    wanted: dict[Path, None] = {}
    for change in changes:
        parents = [folder for folder in change.path.parents if not folder.exists()]
        wanted |= dict.fromkeys(reversed(parents))
    return [WrittenFolder(path=folder) for folder in wanted]


def apply_change(change: Change) -> None:
    """Carry one change out; RefusedError if the disk does not let it."""
    try:
        top = change.project if isinstance(change, PutLink) and change.project else change.path.parent
        top.mkdir(parents=True, exist_ok=True)
        match change:
            case PutFile():
                replace_file(change.path, change.data, change.mode)
            case PutLink():
                with open_below(top, change.path.parent.relative_to(top), made=True) as folder:
                    _put_link(folder, change)
            case EditHooks() | AddServer():
                _replace_known(change.path, change.before, change.after)
            case RemoveText():
                _replace_known(change.path, change.before.encode(), change.after.encode())
            case RunPrograms():
                if failed := run_all(change.commands):
                    run_all(change.undo)
                    raise RefusedError(failed)
            case _:
                assert_never(change)
    except OSError as error:
        raise RefusedError(f"{change.path} cannot be written: {error.strerror}.") from None


def _put_link(folder: int, change: PutLink) -> None:
    """Make a link in an open folder; one that is there is replaced, anything else is not."""
    name = change.path.name
    with suppress(OSError):
        os.readlink(name, dir_fd=folder)
        os.unlink(name, dir_fd=folder)
    os.symlink(change.target, name, dir_fd=folder)


def _replace_known(path: Path, before: bytes | None, after: bytes) -> None:
    """Write a file that is as it was when the change was planned."""
    if bytes_of(path) != before:
        raise RefusedError(f"{path} was changed meanwhile. Run the command again.")
    replace_file(path, after)


def run_all(commands: Sequence[Sequence[str]]) -> str:
    """Run commands one after the other; returns why one failed, or an empty text."""
    for command in commands:
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)  # noqa: S603
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"`{shlex.join(command)}` failed: {error}"
        if done.returncode:
            return f"`{shlex.join(command)}` failed: {' '.join((done.stderr or done.stdout).split())[:300]}"
    return ""


def replace_file(path: Path, data: bytes, mode: int = 0o644) -> None:
    """Write a file whole; a link is followed, and the mode of a file that is there stays."""
    real = path.resolve()
    mode = real.stat().st_mode & 0o7777 if real.exists() else mode
    if real.exists() and not os.access(real, os.W_OK):
        raise PermissionError(13, "it is read-only", str(path))
    part = real.with_name(f".{real.name}.{secrets.token_hex(4)}.part")
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as out:
            os.fchmod(out.fileno(), mode)
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        part.replace(real)
    finally:
        part.unlink(missing_ok=True)


def bytes_of(path: Path) -> bytes | None:
    """What is in a file; None: there is none."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
