"""Whether a skill that comes into question may be handed out: only at bytes that were reviewed or approved."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from metier.errors import BusyError, MetierError, NotFoundError, RefusedError
from metier.library.disk.packages import read_package
from metier.library.scan import SETTLED, changed, fingerprint
from metier.selection.assembly.assemble import body_of
from metier.selection.candidates.activate import activate, seen
from metier.selection.candidates.eligibility import LeftOut
from metier.selection.types import LEGACY

if TYPE_CHECKING:
    from collections.abc import Iterable

    from metier.library.skills import Library
    from metier.selection.candidates.catalogue import Listed
    from metier.selection.candidates.skill_pool import SkillPool
    from metier.selection.types import Selectable
    from metier.skills.package import Package

MOST = 1_000
"""Skills that are remembered with their texts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """The skills that may be handed out, with their texts, and the others with the reason."""

    skills: dict[str, Selectable]
    left_out: tuple[LeftOut, ...] = ()
    changed: bool = False
    """Whether one of them is not any more what the catalogue says."""
    busy: bool = False
    """Whether the store was held by somebody else for too long to look at all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """What was found out about a skill whose files, and whose history, were in some state."""

    hash: str
    stamp: str
    history: str
    answer: Selectable | LeftOut


@dataclass(kw_only=True)
class Passed:
    """What was found out about skills in this process; it counts as long as no file of theirs is touched.

    Safe for many threads.
    """

    _known: dict[str, _Known] = field(default_factory=dict["str", "_Known"])
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def get(self, one: Listed) -> Selectable | LeftOut | None:
        """What is known of a skill as it is on disk now."""
        known = self._known.get(one.skill.folder)
        if known is None or known.hash != one.content.hash:
            return None
        stamp, _ = _state(one.skill.folder, known.history)
        return known.answer if stamp == known.stamp else None

    def put(self, one: Listed, known: _Known) -> None:
        """Remember what was found out, in the place of the oldest."""
        with self._lock:
            self._known.pop(one.skill.folder, None)
            if len(self._known) >= MOST:
                del self._known[next(iter(self._known))]
            self._known[one.skill.folder] = known


def fit(pool: SkillPool, wanted: Iterable[Listed]) -> Fit:
    """Look at each skill as it is on disk now; one that is refused does not keep the others back."""
    skills: dict[str, Selectable] = {}
    left: list[LeftOut] = []
    changed = busy = False
    for one in wanted:
        try:
            answer = _answer(pool, one, hurried=busy)
        except (MetierError, OSError) as error:
            busy = busy or isinstance(error, BusyError)
            changed = changed or isinstance(error, NotFoundError)
            answer = LeftOut(name=one.skill.name, reason=str(error))
        if answer is None:
            changed = True
            answer = LeftOut(name=one.skill.name, reason="it was changed meanwhile")
        if isinstance(answer, LeftOut):
            left.append(answer)
        else:
            skills[one.skill.name] = answer
    return Fit(skills=skills, left_out=tuple(left), changed=changed, busy=busy)


def _answer(pool: SkillPool, one: Listed, *, hurried: bool) -> Selectable | LeftOut | None:
    """The skill with its text, or why it is not handed out; None when it is not what the catalogue says any more."""
    known = pool.passed.get(one)
    if isinstance(known, LeftOut):
        return known
    if known is not None:
        return replace(one.skill, body=known.body, version=known.version)
    if hurried:
        raise BusyError("it could not be looked at: the store is busy")
    now, history = time.time_ns(), _history(pool.library, one)
    stamp, newest = _state(one.skill.folder, history)
    answer = _looked_at(pool.library, one)
    if answer is not None and now - newest > SETTLED:
        pool.passed.put(one, _Known(hash=one.content.hash, stamp=stamp, history=history, answer=answer))
    return answer


def _looked_at(library: Library, one: Listed) -> Selectable | LeftOut | None:
    try:
        package, version = _let_through(library, one)
    except RefusedError as error:
        return LeftOut(name=one.skill.name, reason=str(error))
    if package.hash() != one.content.hash:
        return None
    return replace(one.skill, body=body_of(package.document), version=version)


def _let_through(library: Library, one: Listed) -> tuple[Package, str]:
    """The package that may be used and its version; a skill whose history nobody keeps is reviewed on sight."""
    if one.skill.version != LEGACY:
        found = activate(library, one.skill.folder)
        return found.package, str(found.version.number)
    package = read_package(Path(one.skill.folder))
    said = seen(library.ctx, package, one.skill.name)
    if said:
        raise RefusedError(f"{one.skill.name} is not handed out: {said}")
    return package, LEGACY


def _history(library: Library, one: Listed) -> str:
    """The folder of a skill's history; empty: nobody keeps one."""
    if one.skill.version == LEGACY:
        return ""
    found = library.find(one.skill.folder)
    return str(found.shelf.histories.place(found.key, found.skill))


def _state(folder: str, history: str) -> tuple[str, int]:
    """What tells one state of a skill's files and history from others, and when the newest of it came about."""
    stamp, newest = fingerprint(folder)
    since = changed(history) if history else 0
    return f"{stamp} {since}", max(newest, since)
