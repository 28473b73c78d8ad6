"""Folders opened step by step, so that no link on the way leads elsewhere."""

from __future__ import annotations

import errno
import os
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from metier.errors import RefusedError

if TYPE_CHECKING:
    from collections.abc import Generator

_STEP = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_CLOEXEC
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
TOP = Path("/")
"""Where a path begins: below it no link at all is followed."""
IN_THE_WAY = (errno.ENOTDIR, errno.ELOOP)
"""How systems say that there is a link, or a file, where a folder is wanted."""


@contextmanager
def open_below(top: Path | int, place: Path | str = "", *, made: bool = False) -> Generator[int]:
    """A descriptor of a folder below another one, with no link on the way; `made`: it is there afterwards.

    `top`, a path or a descriptor, is where links end: it may be one itself. A place may not lead up again.
    """
    parts = [part for part in str(place).split("/") if part not in ("", ".")]
    if ".." in parts:
        raise OSError(errno.EINVAL, "it leads up again", str(place))
    handle = os.dup(top) if isinstance(top, int) else os.open(top, _STEP if parts else _FOLDER)
    try:
        for left, part in zip(reversed(range(len(parts))), parts, strict=True):
            if made:
                with suppress(FileExistsError):
                    os.mkdir(part, dir_fd=handle)
            inner = os.open(part, (_STEP if left else _FOLDER) | os.O_NOFOLLOW, dir_fd=handle)
            os.close(handle)
            handle = inner
        yield handle
    finally:
        os.close(handle)


def place_below(top: Path, path: Path) -> Path | None:
    """The way from a folder down to a path, by their names alone; None: the path does not lie below the folder."""
    names, above = (Path(os.path.normpath(one.absolute())) for one in (path, top))
    return names.relative_to(above) if names.is_relative_to(above) else None


def first_link(top: Path, path: Path) -> Path | None:
    """The first link on the way from a folder down to a path below it, that path included; None: there is none."""
    down = [top / path.relative_to(top), *(top / path.relative_to(top)).parents]
    below = (one for one in reversed(down) if one != top and one.is_relative_to(top))
    return next((one for one in below if os.path.islink(one)), None)  # noqa: PTH114 - no errors: those come later


def refuse_links(project: Path, target: Path) -> None:
    """Refuse to write to a place in a project to which a link leads, or from which one leads away."""
    place = place_below(project, target)
    if place is not None and (link := first_link(project, project / place)):
        raise RefusedError(link_text(link))


def link_text(link: Path) -> str:
    """What a person is told of a link where something is to be written."""
    target = ""
    with suppress(OSError):
        target = f" to {link.readlink()}"
    return f"{link} is a link{target}; Metier does not write through links. Remove it, or make the change there."
