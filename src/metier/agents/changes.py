"""The changes that connecting makes on disk: each is shown before, written whole, and can be undone exactly."""

from __future__ import annotations

import difflib
import hashlib
import os
import secrets
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, assert_never

from metier.agents.json_text import without_pieces
from metier.errors import InputError, RefusedError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


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


Change = PutFile | PutLink | EditHooks


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


Written = WrittenFile | WrittenLink | WrittenFolder | WrittenHooks


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
            before = (change.before or b"").decode("utf-8", "replace").splitlines(keepends=True)
            after = change.after.decode("utf-8", "replace").splitlines(keepends=True)
            name = "/dev/null" if change.before is None else str(change.path)
            lines = difflib.unified_diff(before, after, name, str(change.path), n=1)
            return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines).rstrip("\n")
        case _:
            assert_never(change)


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
                if _bytes_of(change.path) != change.before:
                    raise RefusedError(f"{change.path} was changed meanwhile. Run the command again.")
                replace_file(change.path, change.after)
            case _:
                assert_never(change)
    except OSError as error:
        raise RefusedError(f"{change.path} cannot be written: {error.strerror}.") from None


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
