"""Undoing what connecting wrote: exactly that, and nothing that a person changed since."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, assert_never

from metier.agents.changes import (
    WrittenByPrograms,
    WrittenFile,
    WrittenFolder,
    WrittenHooks,
    WrittenLink,
    WrittenRemoval,
    WrittenServer,
    bytes_of,
    hash_of,
    replace_file,
    run_all,
)
from metier.agents.json_text import without_pieces
from metier.agents.toml_text import without_server
from metier.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from metier.agents.changes import Written


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
            case WrittenServer():
                return _undo_server(written)
            case WrittenRemoval():
                return _undo_removal(written)
            case WrittenByPrograms():
                return _undo_programs(written)
            case _:
                assert_never(written)
    except OSError as error:
        return f"{written.path} cannot be changed: {error.strerror}"


def _undo_file(written: WrittenFile) -> str:
    data = bytes_of(written.path)
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
    left = f"the hooks in {written.path} were changed since, so they were left"
    return _undo_part(written, lambda text: without_pieces(text, written.pieces, written.groups), left)


def _undo_server(written: WrittenServer) -> str:
    left = f"the MCP server in {written.path} was changed since, so it was left"
    return _undo_part(written, lambda text: without_server(text, written.name, written.piece), left)


def _undo_part(written: WrittenHooks | WrittenServer, cut: Callable[[str], tuple[str, bool]], left: str) -> str:
    """Cut our part out of a file, or remove the file if it is as we made it; `left`: what to say if it is not found."""
    data = bytes_of(written.path)
    if data is None:
        return ""
    if written.created and hash_of(data) == written.created:
        written.path.unlink()
        return ""
    try:
        text, is_gone = cut(data.decode("utf-8"))
    except (InputError, UnicodeDecodeError):
        return f"{written.path} cannot be read any more, so it was left"
    if text.encode() != data:
        replace_file(written.path, text.encode())
    return "" if is_gone else left


def _undo_removal(written: WrittenRemoval) -> str:
    data = bytes_of(written.path)
    if data is None or hash_of(data) != written.hash:
        return f"{written.path} was changed since, so the hooks that were taken out of it did not come back"
    replace_file(written.path, written.before.encode())
    return ""


def _undo_programs(written: WrittenByPrograms) -> str:
    """Put the file back as it was; if it was changed since, let the agent's own commands undo their part."""
    data = bytes_of(written.path)
    if not written.hash or data is None or hash_of(data) != written.hash:
        return run_all(written.undo)
    if written.before is None:
        written.path.unlink()
    else:
        replace_file(written.path, written.before.encode())
    return ""
