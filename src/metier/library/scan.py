"""Looking at roots: which skills are there, read only where something changed since the last look."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from metier.errors import InputError, RefusedError
from metier.formats.strict_json import clean
from metier.library.disk.packages import read_package, skills_below
from metier.library.roots import SkillFolder
from metier.skills.validation import validate
from metier.types.skills import Glance

if TYPE_CHECKING:
    from collections.abc import Iterator

    from metier.library.roots import Root
    from metier.skills.document.frontmatter import Frontmatter
    from metier.skills.package import Package

SETTLED = 100_000_000
"""Nanoseconds a file must have rested before it is believed to be unchanged: clocks of file systems are coarse."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScannedSkill:
    """One skill as it was found: as before, or read anew."""

    at: SkillFolder
    glance: Glance
    package: Package | None = None
    """There only when it was read this time."""


def skill_folders_in(root: Root) -> Iterator[SkillFolder]:
    """The skill folders of a root; one that holds far too many shows the first of them."""
    with suppress(InputError):
        for skill, link in skills_below(str(root.real)):
            folder = root.real / skill
            yield SkillFolder(
                root=root, skill=skill, real=Path(os.path.realpath(folder)) if link else folder, link=link
            )


def scan_skill(at: SkillFolder, before: Glance | None, history: Path | str) -> ScannedSkill:
    """One skill; it is read only if its fingerprint, or the folder of its history, changed."""
    now = time.time_ns()
    stamp, newest = fingerprint(str(at.real))
    if before and before.fingerprint == f"{stamp}-{last_change(history)}":
        return ScannedSkill(at=at, glance=before)
    settled = stamp if now - newest > SETTLED else ""
    try:
        package = read_package(at.real)
    except RefusedError as error:
        return ScannedSkill(at=at, glance=Glance(fingerprint=settled, name=at.skill, problem=str(error)))
    found = validate(package, level="lenient", folder=at.skill.rpartition("/")[2])
    first = found.problems[0] if found.problems else None
    said = package.frontmatter  # once: it is parsed anew each time
    glance = Glance(
        fingerprint=settled,
        hash=package.hash(),
        name=_text(said, "name") or at.skill.rpartition("/")[2],
        description=_text(said, "description"),
        problem=f"{first.file}:{first.line} {first.rule}: {first.reason}" if first else "",
    )
    return ScannedSkill(at=at, glance=glance, package=package)


def _text(frontmatter: Frontmatter, key: str) -> str:
    value = frontmatter.get(key)
    return clean(value).strip() if isinstance(value, str) else ""


def last_change(history: Path | str) -> int:
    """When a version was last added to a history; 0: never."""
    try:
        return os.stat(history).st_mtime_ns  # noqa: PTH116 - thousands of them
    except FileNotFoundError:
        return 0


def fingerprint(folder: str) -> tuple[str, int]:
    """A digest of the names, sizes and times of all files below a folder, and the newest change among them."""
    parts: list[str] = []
    newest, start = 0, len(folder)
    waiting = [folder]
    while waiting:
        place = waiting.pop()
        try:
            with os.scandir(place) as entries:
                for entry in entries:
                    state = entry.stat(follow_symlinks=False)
                    changed_at = state.st_ctime_ns
                    if changed_at > newest:
                        newest = changed_at
                    where = entry.path[start:]
                    parts.append(f"{where}\0{state.st_ino} {state.st_size} {state.st_mtime_ns} {changed_at}")
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
        except OSError as error:
            parts.append(f"{place}\0{error.errno}")
    parts.sort()
    digest = blake2b("\n".join(parts).encode("utf-8", "surrogateescape"), digest_size=16)
    return digest.hexdigest(), newest
