"""The skills there are while a pass drafts: looked at once, read where they are needed."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from metier.errors import MetierError
from metier.learning.drafting.proposal import There
from metier.learning.drafting.similar_skills import Index, KnownSkill, Place
from metier.skills.names import lookalike_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from metier.library.listing import Skill
    from metier.library.roots import Level
    from metier.library.skills import Library
    from metier.skills.package import Package
    from metier.types.skills import Version

OUT = ("archived", "deleted")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    """A skill by its folder."""

    name: str
    folder: str
    place: Place
    hash: str


class ExistingSkills:
    """What skills exist, by name: those that win, and that are not only kept."""

    def __init__(self, library: Library, skills: Iterable[Skill]) -> None:
        self._library = library
        levels: dict[str, Level] = {str(root.path): root.level for root in library.roots}
        self._skills: dict[str, _Entry] = {}
        self._out: dict[str, str] = {}
        for one in skills:
            if one.status in OUT:
                self._out[lookalike_key(one.name)] = one.status
            elif not one.shadowed_by:
                place = _place(levels.get(one.root, "project"))
                entry = _Entry(name=one.name, folder=str(one.folder), place=place, hash=one.hash)
                self._skills[lookalike_key(one.name)] = entry

    @cached_property
    def index(self) -> Index:
        """All that were there when the pass began to draft, for recall."""
        return Index(self._known())

    def hash(self, name: str) -> str:
        """The hash of the skill of a name; empty when there is none."""
        found = self._skills.get(lookalike_key(name))
        return found.hash if found else ""

    def there(self, name: str) -> There:
        """What exists under a name."""
        found = self._skills.get(lookalike_key(name))
        if found is None:
            return There()
        package = self._read(found)
        return There(here=package) if found.place == "workspace" else There(elsewhere=package, place=found.place)

    def out(self, name: str) -> str:
        """How a skill of that name was taken out of sight; empty: none was, or one is there."""
        return "" if lookalike_key(name) in self._skills else self._out.get(lookalike_key(name), "")

    def add_shipped(self, version: Version) -> None:
        """Take in what this very pass has shipped: the next draft must not be made as if it were not there."""
        name = version.skill.rpartition("/")[2]
        known = self._skills.get(lookalike_key(name))
        there = known.folder if known and known.place == "workspace" else ""
        folder = there or str(self._library.default.path / version.skill)
        self._skills[lookalike_key(name)] = _Entry(name=name, folder=folder, place="workspace", hash=version.hash)

    def _known(self) -> Iterator[KnownSkill]:
        for one in list(self._skills.values()):
            with suppress(MetierError):  # a broken skill never hides the others
                package = self._read(one)
                if package is not None:
                    yield known_skill(one.name, package, one.place)

    def _read(self, entry: _Entry) -> Package | None:
        return self._library.find(entry.folder).slot.package()


def known_skill(name: str, package: Package, place: Place) -> KnownSkill:
    """A package as recall sees it."""
    body = package.body.decode("utf-8", "replace")
    return KnownSkill(name=name, description=package.description, body=body, place=place)


def _place(level: Level) -> Place:
    return "global" if level == "user" else "built-in" if level == "system" else "workspace"
