"""What a project says about itself: the beginnings of its pages, read from within the project only."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from metier.errors import UnreadableError
from metier.folders import first_link
from metier.foreign_files import read_foreign
from metier.learning.lessons.vetting import PAGES

if TYPE_CHECKING:
    from pathlib import Path

PAGE = 200_000
"""Characters of a page that are looked at."""
CITED = 1_000_000
"""Bytes of a file in which a fact's line is looked for; hooks look as far."""
MOST, SECONDS = 64 * 1024 * 1024, 5.0
"""Bytes of the largest file that is opened, and seconds for reading it."""


def read_pages(root: Path, left_out: list[str]) -> dict[str, str]:
    """The pages of a project by name; those that cannot be read are noted with the reason."""
    found: dict[str, str] = {}
    for name in PAGES:
        if leads_elsewhere(root, name):
            left_out.append(f"Left out {name}: it is a link to what is no page.")
            continue
        try:
            found[name] = _beginning(root, name, 4 * PAGE)[:PAGE]
        except UnreadableError as error:
            left_out += [f"Left out {name}: {error.reason}."] if error.state != "gone" else []
    return found


def leads_elsewhere(root: Path, name: str) -> bool:
    """Whether a page is a link to another file than a page of the project: what is ignored there stays there."""
    link = first_link(root, root / name)
    pages = {os.path.join(os.path.realpath(root), one) for one in PAGES}  # noqa: PTH118 - compared as texts
    return link is not None and os.path.realpath(root / name) not in pages


def cited_text(root: Path, name: str) -> str:
    """What a file of a project says; empty where it cannot be read."""
    try:
        return _beginning(root, name, CITED)
    except UnreadableError:
        return ""


def _beginning(root: Path, name: str, size: int) -> str:
    with read_foreign(root / name, root, MOST, SECONDS) as file:
        return file.read(size).decode("utf-8", "replace")
