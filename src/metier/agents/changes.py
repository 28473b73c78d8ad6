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

from metier.agents.json_text import without_pieces
from metier.errors import InputError, RefusedError

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


Change = PutFile | PutLink | EditHooks | RemoveText | RunPrograms


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


Written = WrittenFile | WrittenLink | WrittenFolder | WrittenHooks | WrittenRemoval | WrittenByPrograms


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
        case EditHooks():
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
        case RemoveText():
            return WrittenRemoval(path=change.path, before=change.before, hash=hash_of(change.after.encode()))
        case RunPrograms():
            before = None if change.before is None else change.before.decode("utf-8", "replace")
            data = _bytes_of(change.path)
            after = hash_of(data) if data is not None and data != change.before else ""
            return WrittenByPrograms(path=change.path, before=before, hash=after, undo=change.undo)
        case _:
            assert_never(change)


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
        change.path.parent.mkdir(parents=True, exist_ok=True)
        match change:
            case PutFile():
                replace_file(change.path, change.data, change.mode)
            case PutLink():
                if change.path.is_symlink():
                    change.path.unlink()
                change.path.symlink_to(change.target)
            case EditHooks():
                _replace_known(change.path, change.before, change.after)
            case RemoveText():
                _replace_known(change.path, change.before.encode(), change.after.encode())
            case RunPrograms():
                if failed := _run_all(change.commands):
                    _run_all(change.undo)
                    raise RefusedError(failed)
            case _:
                assert_never(change)
    except OSError as error:
        raise RefusedError(f"{change.path} cannot be written: {error.strerror}.") from None


def _replace_known(path: Path, before: bytes | None, after: bytes) -> None:
    """Write a file that is as it was when the change was planned."""
    if _bytes_of(path) != before:
        raise RefusedError(f"{path} was changed meanwhile. Run the command again.")
    replace_file(path, after)


def undo(written: Written) -> str:
    """Take back what was written; returns why something was left, or an empty text."""
    try:
        match written:
            case WrittenFile():
                return _undo_file(written)
            case WrittenLink():
                return _undo_link(written)
            case WrittenFolder():
                with suppress(OSError):  # something of another's is in it
                    written.path.rmdir()
                return ""
            case WrittenHooks():
                return _undo_hooks(written)
            case WrittenRemoval():
                return _undo_removal(written)
            case WrittenByPrograms():
                return _undo_programs(written)
            case _:
                assert_never(written)
    except OSError as error:
        return f"{written.path} cannot be changed: {error.strerror}"


def _undo_file(written: WrittenFile) -> str:
    data = _bytes_of(written.path)
    if data is None:
        return ""
    if hash_of(data) != written.hash:
        return f"{written.path} was changed since, so it was left"
    written.path.unlink()
    return ""


def _undo_link(written: WrittenLink) -> str:
    if not os.path.lexists(written.path):
        return ""
    if not written.path.is_symlink() or written.path.readlink() != written.target:
        return f"{written.path} was changed since, so it was left"
    written.path.unlink()
    return ""


def _undo_hooks(written: WrittenHooks) -> str:
    data = _bytes_of(written.path)
    if data is None:
        return ""
    if written.created and hash_of(data) == written.created:
        written.path.unlink()
        return ""
    try:
        text, done = without_pieces(data.decode("utf-8"), written.pieces, written.groups)
    except (InputError, UnicodeDecodeError):
        return f"{written.path} cannot be read any more, so it was left"
    if text.encode() != data:
        replace_file(written.path, text.encode())
    return "" if done else f"the hooks in {written.path} were changed since, so they were left"


def _undo_removal(written: WrittenRemoval) -> str:
    data = _bytes_of(written.path)
    if data is None or hash_of(data) != written.hash:
        return f"{written.path} was changed since, so the hooks that were taken out of it did not come back"
    replace_file(written.path, written.before.encode())
    return ""


def _undo_programs(written: WrittenByPrograms) -> str:
    """Put the file back as it was; if it was changed since, let the agent's own commands undo their part."""
    data = _bytes_of(written.path)
    if not written.hash or data is None or hash_of(data) != written.hash:
        return _run_all(written.undo)
    if written.before is None:
        written.path.unlink()
    else:
        replace_file(written.path, written.before.encode())
    return ""


def _run_all(commands: Sequence[Sequence[str]]) -> str:
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


def _bytes_of(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
