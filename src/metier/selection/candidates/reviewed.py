"""Check that a candidate may be handed out: only bytes that passed review, or that a person approved, may."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from metier import __version__
from metier.errors import BusyError, MetierError, NotFoundError, RefusedError
from metier.hooks.stamp import fingerprint
from metier.library.disk.packages import read_package
from metier.library.hand_edits import record_hand_edit
from metier.library.package_decisions import decision_on, hold_of, was_reviewed_here
from metier.library.proposals.review_gate import review_change
from metier.library.roots import SETTLED, last_change
from metier.library.versions import journal
from metier.selection.assembly.assemble import body_of
from metier.selection.candidates.eligibility import LeftOut
from metier.selection.types import LEGACY
from metier.store.tables.models import memo
from metier.types.reviews import blocks

if TYPE_CHECKING:
    from collections.abc import Iterable

    from metier.context.context import Context
    from metier.library.skills import FoundSkill, Library
    from metier.selection.candidates.catalogue import CatalogueEntry
    from metier.selection.candidates.skill_pool import SkillPool
    from metier.selection.types import Selectable
    from metier.skills.package import Package
    from metier.types.skills import Version

MOST = 1_000
"""Skills that the cache holds with their texts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedSkills:
    """The skills that may be handed out, with their texts, and the others with the reason."""

    skills: dict[str, Selectable]
    left_out: tuple[LeftOut, ...] = ()
    changed: bool = False
    """Whether one of them differs from the catalogue by now."""
    busy: bool = False
    """Whether another process held the store for too long to check all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """The result of one check, and the state of the skill's files and history at that time."""

    hash: str
    stamp: str
    history: str
    answer: Selectable | LeftOut


@dataclass(kw_only=True)
class ReviewedCache:
    """Results of earlier checks; each is valid until a file of its skill is touched. Safe for many threads."""

    _known: dict[str, _Known] = field(default_factory=dict["str", "_Known"])
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def get(self, one: CatalogueEntry) -> Selectable | LeftOut | None:
        """The result for a skill as it is on disk now, if there is one."""
        known = self._known.get(one.skill.folder)
        if known is None or known.hash != one.content.hash:
            return None
        stamp, _ = _state(one.skill.folder, known.history)
        return known.answer if stamp == known.stamp else None

    def put(self, one: CatalogueEntry, known: _Known) -> None:
        """Keep a result; the oldest one goes when the cache is full."""
        with self._lock:
            self._known.pop(one.skill.folder, None)
            if len(self._known) >= MOST:
                del self._known[next(iter(self._known))]
            self._known[one.skill.folder] = known


def check_skills(pool: SkillPool, wanted: Iterable[CatalogueEntry]) -> CheckedSkills:
    """Check each skill as it is on disk now; a refused skill does not affect the others."""
    skills: dict[str, Selectable] = {}
    left: list[LeftOut] = []
    changed = busy = False
    for one in wanted:
        try:
            answer = _checked_skill(pool, one, hurried=busy)
        except (MetierError, OSError) as error:
            busy = busy or isinstance(error, BusyError)
            changed = changed or isinstance(error, NotFoundError)
            answer = LeftOut(name=one.skill.name, reason=str(error))
        if answer is None:
            changed = True
            answer = LeftOut(name=one.skill.name, reason="it changed during the selection")
        if isinstance(answer, LeftOut):
            left.append(answer)
        else:
            skills[one.skill.name] = answer
    return CheckedSkills(skills=skills, left_out=tuple(left), changed=changed, busy=busy)


def _checked_skill(pool: SkillPool, one: CatalogueEntry, *, hurried: bool) -> Selectable | LeftOut | None:
    """The skill with its text, or why it is not handed out; None when it differs from the catalogue."""
    known = pool.reviewed.get(one)
    if isinstance(known, LeftOut):
        return known
    if known is not None:
        return replace(one.skill, body=known.body, version=known.version)
    if hurried:
        raise BusyError("it was not checked: the store is busy")
    now, history = time.time_ns(), _history(pool.library, one)
    stamp, newest = _state(one.skill.folder, history)
    answer = _reviewed_skill(pool.library, one)
    if answer is not None and now - newest > SETTLED:
        pool.reviewed.put(one, _Known(hash=one.content.hash, stamp=stamp, history=history, answer=answer))
    return answer


def _reviewed_skill(library: Library, one: CatalogueEntry) -> Selectable | LeftOut | None:
    try:
        package, version = allowed_package(library, one)
    except NotFoundError:
        return None
    except RefusedError as error:
        return LeftOut(name=one.skill.name, reason=str(error))
    if package.hash() != one.content.hash:
        return None
    return replace(one.skill, body=body_of(package.document), version=version)


def allowed_package(library: Library, one: CatalogueEntry) -> tuple[Package, str]:
    """The package that may be used, and its version; a skill without a history is reviewed now."""
    if one.skill.version != LEGACY:
        found = activate(library, one.skill.folder)
        return found.package, str(found.version.number)
    package = read_package(Path(one.skill.folder))
    if package.hash() != one.content.hash:  # what the catalogue names was decided on; this may not be
        raise NotFoundError(f"{one.skill.name} changed just now. Try again.")
    said = review_problem(library.ctx, package, one.skill.name)
    if said:
        raise RefusedError(f"{one.skill.name} is not handed out: {said}")
    return package, LEGACY


def _history(library: Library, one: CatalogueEntry) -> str:
    """The folder of a skill's history; empty: it has none."""
    if one.skill.version == LEGACY:
        return ""
    found = library.find(one.skill.folder)
    return str(found.version_store.histories.folder_of(found.key, found.skill))


def _state(folder: str, history: str) -> tuple[str, int]:
    """A stamp of a skill's files and history, and the time of the newest change."""
    stamp, newest = fingerprint(folder)
    since = last_change(history) if history else 0
    return f"{stamp} {since}", max(newest, since)


@dataclass(frozen=True, slots=True, kw_only=True)
class AllowedSkill:
    """A skill that may be used, at a version that passed review."""

    folder: str
    """The name of its folder."""
    version: Version
    package: Package

    @property
    def name(self) -> str:
        """The name in its document, else the name of its folder."""
        return self.package.name or self.folder


def activate(library: Library, skill: str) -> AllowedSkill:
    """A skill whose files are exactly what was reviewed or approved; otherwise raises with the reason.

    A hand edit becomes a version first.
    """
    found = library.find(skill)
    past, package = found.history(), found.slot.package()
    if not (_is_as_kept(past.last, package) and journal.is_clean(found.version_store)):
        record_hand_edit(library.ctx, found)
        past, package = found.history(), found.slot.package()
    last = past.last
    if package is None or last is None or last.out:
        raise NotFoundError(f"There is no skill '{skill}' in use here.")
    if package.hash() != last.hash:
        raise RefusedError(
            f"{found.folder} differs from version {last.number}, which passed review. It changed just now; try again."
        )
    _check_decision(library, found, package)
    if not any(one.hash == last.hash and was_reviewed_here(library.ctx, one) for one in past.versions):
        said = review_problem(library.ctx, package, found.skill)
        if said:
            raise RefusedError(
                f"{found.skill} is not handed out: {said} See: metier review, metier skills show {found.skill}"
            )
    return AllowedSkill(folder=found.skill, version=last, package=package)


def _check_decision(library: Library, found: FoundSkill, package: Package) -> None:
    hold = hold_of(library.ctx, found, package.hash(), decision_on(library.ctx, package.hash()))
    if hold.reason:  # the catalogue is older than that: it names no skill that is held back
        raise NotFoundError(f"{found.skill} is not handed out: {hold.reason}")


def review_problem(ctx: Context, package: Package, skill: str) -> str:
    """Review a package that nobody reviewed yet, once for each hash; returns what is wrong with it, or ""."""
    key = review_key(package.hash())
    with ctx.store.read() as transaction:
        known = memo.get(transaction, key)
    if known is None:
        worst = [one for one in review_change(ctx, package, skill, None).findings if blocks(one)]
        said = f"{worst[0].rule} in {worst[0].file}:{worst[0].line}: {worst[0].reason}" if worst else ""
        known = said.encode()
        with ctx.store.write() as transaction:
            memo.put(transaction, key, known, ctx.now())
    return known.decode()


def review_key(content: str) -> str:
    """The key that the review of a package is stored under."""
    return f"review:{__version__}:{content}"


def _is_as_kept(last: Version | None, package: Package | None) -> bool:
    """Whether the files are the newest version, so that there is no hand edit."""
    return package is not None and last is not None and not last.out and package.hash() == last.hash
