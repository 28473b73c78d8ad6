"""The skills that an agent finds in a folder, each with what a review says: read-only, and without a workspace."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from metier.errors import RefusedError
from metier.library.disk.packages import read_package
from metier.library.roots import known_roots, skill_folders_in
from metier.review.review import review_package
from metier.types.reviews import blocks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from metier.library.roots import SkillFolder


@dataclass(frozen=True, slots=True, kw_only=True)
class InstalledSkill:
    """A skill that is there already."""

    name: str
    folder: str
    status: str = "not reviewed"
    """`nothing found`, `blocked`, `not reviewed` (no time was left) or `unreadable`."""
    rules: tuple[str, ...] = ()
    """The rules that block it."""


def installed_skills(root: Path, environ: Mapping[str, str], has_time: Callable[[], bool]) -> Iterator[InstalledSkill]:
    """The skills of a project and of the person, each folder once."""
    home = Path(environ.get("HOME") or "~").expanduser()
    seen: set[Path] = set()
    for place in known_roots(root, home, claude_home=environ.get("CLAUDE_CONFIG_DIR", "")):
        for one in skill_folders_in(place):
            if one.real not in seen:
                seen.add(one.real)
                yield _looked_at(one) if has_time() else InstalledSkill(name=one.skill, folder=str(one.folder))


def _looked_at(one: SkillFolder) -> InstalledSkill:
    name = one.skill.rpartition("/")[2]
    try:
        package = read_package(one.real)
    except RefusedError:
        return InstalledSkill(name=name, folder=str(one.folder), status="unreadable")
    found = review_package(package, folder=name)
    rules = tuple(dict.fromkeys(each.rule for each in found.findings if blocks(each)))
    status = "nothing found" if found.status == "candidate" else "blocked"
    return InstalledSkill(name=package.name or name, folder=str(one.folder), status=status, rules=rules)
