"""What this workspace has to offer: lessons in use, and the versions of skills that went through the door."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, cast

from metier.errors import MetierError
from metier.formats.value_json import dumps
from metier.library.delivery.notes_file import in_use
from metier.library.package_decisions import was_reviewed_here
from metier.sharing.manifest import OfferedLesson, OfferedSkill, OfferManifest
from metier.store.tables.learning import lessons
from metier.store.tables.pulse import pulse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from metier.library.skills import Library
    from metier.library.versions.version_store import VersionStore
    from metier.types.lessons import Lesson, LessonScope
    from metier.types.skills import Version

BY_HAND = ("hand-edit", "found")
"""What somebody did to a file: it counts on this machine, and is not offered."""
REMEMBERED = 64
"""People whose offers are remembered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A manifest, and the way to every object it names; there is no way to any other."""

    manifest: OfferManifest
    objects: Mapping[str, Callable[[], bytes]]


SkillsPart = tuple[tuple[OfferedSkill, ...], dict[str, "Callable[[], bytes]"]]
"""The skills of an offer and the way to their bytes: the same for everybody."""


def make_offer(library: Library, person: str, known: tuple[int, SkillsPart] | None = None) -> Offer:
    """Everything that a person's machines may have; what somebody approved for themselves is only theirs.

    Its number is read before all else: what is decided meanwhile may be in it, and the next offer has a higher one.
    """
    number, (offered, objects) = known or (newest_number(library), skills_part(library))
    with library.ctx.store.read() as transaction:
        found = lessons.list_all(transaction)
    used = [one for one in in_use(library.ctx, found) if one.scope != "person" or one.decided_by == person]
    bodies = [(one, lesson_object(one)) for one in used]
    manifest = OfferManifest(
        number=number,
        skills=offered,
        lessons=tuple(OfferedLesson(id=one.id, hash=_hash(body), scope=one.scope) for one, body in bodies),
    )
    return Offer(manifest=manifest, objects={**objects, **{_hash(body): partial(bytes, body) for _, body in bodies}})


def newest_number(library: Library) -> int:
    """A number that grows with every decision."""
    with library.ctx.store.read() as transaction:
        return int(pulse(transaction)["audit"])


def skills_part(library: Library) -> SkillsPart:
    """The skills of every offer; reads all their histories."""
    found = sorted(offered_skills(library), key=lambda one: one[0].name)
    objects = {file.object: partial(store.objects.get, file.object) for skill, store in found for file in skill.files}
    return tuple(skill for skill, _ in found), cast("dict[str, Callable[[], bytes]]", objects)


def offered_skills(library: Library) -> Iterator[tuple[OfferedSkill, VersionStore]]:
    """The version of each skill that others may have; the project's win over those of the server's own home."""
    seen: set[str] = set()
    for store in library.version_stores():
        scope: LessonScope = "project" if store is library.version_store else "team"
        for root, name in store.histories.skills():
            try:
                version = offered_version(library, store.histories.history_of(root, name).versions)
            except MetierError:
                continue  # a history that is damaged is not offered, and in nobody's way
            if version is not None and "/" not in name and name not in seen:
                seen.add(name)
                yield _offered(version, scope), store


def offered_version(library: Library, past: Sequence[Version]) -> Version | None:
    """The newest version that was reviewed or approved here, as long as nobody took it back or away."""
    good = {one.hash for one in past if was_reviewed_here(library.ctx, one)}
    for version in reversed(past):
        if version.out:
            return None
        if version.hash in good:
            return version
        if version.action not in BY_HAND:
            return None
    return None


def lesson_object(lesson: Lesson) -> bytes:
    """A lesson as others get it: the line and what belongs to it, without the words of sessions."""
    bare = replace(lesson, workspace="", quotes=(), seal="", published="", note="", already_written="")
    return dumps(bare).encode()


class Offers:
    """Remembers offers until something is decided."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._known: dict[str, Offer] = {}
        self._skills: tuple[int, SkillsPart] | None = None
        self._lock = threading.Lock()

    def offer_for(self, person: str) -> Offer:
        """The offer for a person's machines, as of now."""
        number = newest_number(self._library)
        with self._lock:
            known = self._known.get(person)
            if known is None or known.manifest.number != number:
                if len(self._known) >= REMEMBERED:
                    self._known.clear()
                if self._skills is None or self._skills[0] != number:
                    self._skills = (number, skills_part(self._library))
                known = self._known[person] = make_offer(self._library, person, self._skills)
        return known


def _offered(version: Version, scope: LessonScope) -> OfferedSkill:
    return OfferedSkill(
        name=version.skill,
        hash=version.hash,
        scope=scope,
        files=version.files,
        version=version.number,
        approver=version.who,
    )


def _hash(raw: bytes) -> str:
    return sha256(raw).hexdigest()
