"""The marked block in AGENTS.md or CLAUDE.md: only Metier writes in it, and taking it out gives the page back."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from metier.errors import RefusedError, UnreadableError
from metier.folders import place_below, refuse_links
from metier.foreign_files import read_foreign
from metier.hooks.wording import one_line
from metier.library.delivery.notes_file import in_use
from metier.library.disk.atomic_files import open_parent, replace_file
from metier.store.tables.learning import lessons

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.context.context import Context
    from metier.types.lessons import Lesson

PAGES = ("AGENTS.md", "CLAUDE.md")
LARGEST, SECONDS = 16 * 1024 * 1024, 10.0
"""Bytes of a page, and seconds for reading it."""
_BLOCK = re.compile(
    rb"(?P<before>\n*)<!-- metier:begin \+(?P<added>[0-2])(?P<new> new)? (?P<hash>[0-9a-f]{16}) -->\n"
    rb"(?P<body>.*?)<!-- metier:end -->\n",
    re.DOTALL,
)
_HEADING = "<!-- Written by Metier. Change it with: metier lessons -->\n## Standing instructions\n\n"


def default_page(ctx: Context) -> str:
    """The page that a project has; AGENTS.md if it has none."""
    return next((name for name in PAGES if (ctx.root / name).is_file()), PAGES[0])


def planned_page(ctx: Context, page: str, changed: Lesson) -> bytes | None:
    """A page as it has to be once a lesson is changed; None: it goes, for Metier made it. Refuses a strange page."""
    with ctx.store.read() as transaction:
        every = [changed if one.id == changed.id else one for one in lessons.list_all(transaction)]
    shown = sorted((one for one in in_use(ctx, every) if one.published == page), key=lambda one: (one.kind, one.id))
    return with_block(_content(ctx, page), [one_line(one.text) for one in shown], page)


def write_page(ctx: Context, page: str, content: bytes | None) -> None:
    """Put a page in its place."""
    if content is not None:
        replace_file(ctx.root / page, content, ctx.root)
        return
    with suppress(FileNotFoundError), open_parent(ctx.root / page, ctx.root) as folder:
        os.unlink(Path(page).name, dir_fd=folder)


def with_block(content: bytes | None, lines: Sequence[str], page: str) -> bytes | None:
    """A page with these lines in Metier's block, or as it was before if there are none; None: there was no page."""
    before, is_new, after = _around(content, page)
    if not lines:
        return None if is_new and not before + after else before + after
    body = (_HEADING + "".join(f"- {line}\n" for line in lines)).encode()
    added = 0 if not before else 1 if before.endswith(b"\n") else 2
    mark = f"<!-- metier:begin +{added}{' new' if is_new else ''} {_hash(body)} -->\n"
    return before + b"\n" * added + mark.encode() + body + b"<!-- metier:end -->\n" + after


def _around(content: bytes | None, page: str) -> tuple[bytes, bool, bytes]:
    """What stands before the block and behind it, and whether Metier made the page."""
    if content is None:
        return b"", True, b""
    found = list(_BLOCK.finditer(content))
    if (not found and b"<!-- metier:" in content) or len(found) > 1:
        raise RefusedError(f"The marks of Metier's block in {page} are broken. Take them out of the page, then again.")
    if not found:
        return content, False, b""
    block = found[0]
    if _hash(block["body"]) != block["hash"].decode():
        raise RefusedError(
            f"Metier's block in {page} was changed by hand. Move your lines out of it, or take the whole block out,"
            " then again. Nothing was changed."
        )
    kept = len(block["before"]) - int(block["added"])
    return content[: block.start() + max(0, kept)], block["new"] is not None, content[block.end() :]


def _content(ctx: Context, page: str) -> bytes | None:
    """What a page holds now; None: there is none. One outside the project is refused, and one behind a link."""
    file = ctx.root / page
    if place_below(ctx.root, file) is None:
        raise RefusedError(f"{page} is not in the project. Metier does not write there.")
    refuse_links(ctx.root, file)
    try:
        with read_foreign(file, ctx.root, LARGEST, SECONDS) as opened:
            return opened.read()
    except UnreadableError as error:
        if error.state == "gone":
            return None
        raise


def _hash(body: bytes) -> str:
    return sha256(body).hexdigest()[:16]
