"""List every skill of a library with its version and status. Nothing here writes."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

from metier.errors import MetierError
from metier.events import Advanced, Began, Ended, Noted
from metier.folders import link_text
from metier.library.package_decisions import FREE, Hold, hold_of
from metier.library.profiles import name_of, profile_from_history
from metier.library.roots import last_change, roots_in_order, scan_skill, skill_folders_in, winners
from metier.library.skills import FoundSkill
from metier.library.versions.history import folder_name
from metier.skills.names import lookalike_key
from metier.store.tables.library import glances, package_decisions, profiles
from metier.types.skills import Profile

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping, Sequence
    from pathlib import Path

    from metier.config import Order
    from metier.events import Event
    from metier.library.roots import Root, ScannedSkill, SkillFolder
    from metier.library.skills import Library
    from metier.library.versions.version_store import VersionStore
    from metier.types.skills import Glance, PackageDecision, SkillOrigin, SkillStatus

T = TypeVar("T")
STEP = 500
"""Skills between two progress events."""
GONE = ("archived", "deleted")
"""Statuses of skills that agents do not see."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """A skill as a person sees it: its purpose, its folder, its status."""

    name: str
    root: str
    folder: Path
    status: SkillStatus
    origin: SkillOrigin
    version: int
    hash: str
    description: str
    stamp: str = ""
    """The state of its folder when it was looked at."""
    problem: str = ""
    held: str = ""
    """Why it is not handed out although it is there; empty: nothing holds it back."""
    waits: bool = False
    """Whether it is held because it waits for a yes to exactly these files."""
    pinned: bool = False
    unsaved: bool = False
    """Whether somebody changed or removed it by hand, and no version of that is saved yet."""
    shadowed_by: str = ""
    """The folder of the skill of the same name that wins; empty: this one does."""

    @property
    def is_usable(self) -> bool:
        """Whether it can be read, nothing holds it back and it wins over others of its name."""
        return not (self.problem or self.held or self.shadowed_by)

    @property
    def is_new(self) -> bool:
        """Whether it was made by hand, and no version of it is saved yet."""
        return self.unsaved and not self.version


@dataclass(frozen=True, slots=True, kw_only=True)
class RootScan:
    """The skills of one root as they are on disk, next to what was known of them before."""

    root: Root
    version_store: VersionStore
    seen: Sequence[ScannedSkill]
    before: Mapping[str, Glance] = field(default_factory=dict["str", "Glance"])
    """What the last recorded scan found."""
    gone: Sequence[str] = ()
    """Skills that were there at the last recorded scan, or that have a history when no scan was recorded."""

    @property
    def key(self) -> str:
        """What histories call the root."""
        return self.version_store.key(self.root.real)

    @property
    def edited_skills(self) -> list[str]:
        """The skills that had to be read, and that belong to this root: a link's target belongs to another."""
        return [one.at.skill for one in self.seen if one.package and one.at.real == self.root.real / one.at.skill]

    @property
    def changed_skills(self) -> list[str]:
        """The skills that are not what the last recorded scan found."""
        return [one.at.skill for one in self.seen if one.glance is not self.before.get(one.at.skill)]

    def is_unsaved(self, one: ScannedSkill) -> bool:
        """Whether a skill's bytes are in none of its versions' places: somebody changed it by hand."""
        if one.package is None or not self.root.writable or one.at.real != self.root.real / one.at.skill:
            return False
        last = self.version_store.histories.last(self.key, one.at.skill)
        return last is None or last.out or last.hash != one.glance.hash


def list_skills(library: Library, order: Order | None = None) -> list[Skill]:
    """Every skill, in the order of the roots, then those that are archived or deleted; reads only."""
    return result_of(scan_skills(library, order))


def result_of(events: Generator[Event, None, T]) -> T:
    """What long work returns, without its events."""
    while True:
        try:
            next(events)
        except StopIteration as end:
            return end.value


def scan_skills(library: Library, order: Order | None = None) -> Generator[Event, None, list[Skill]]:
    """The same as `list_skills`, with an event for each step."""
    order = order or library.ctx.config.skill_order
    scans: list[RootScan] = []
    for root in roots_in_order(library.roots, order):
        scan = yield from scan_root(library, root)
        scans.append(scan)
    return skills_of(library, scans, order)


def scan_root(library: Library, root: Root) -> Generator[Event, None, RootScan]:
    """Scan one root; only skills that changed since the last recorded scan are read."""
    store = library.version_store_of(root)
    key = store.key(root.real)
    with library.ctx.store.read() as transaction:
        before = glances.list_all(transaction, str(root.real))
    seen = yield from _scan_folders(store, root, before)
    here = {one.at.skill for one in seen}
    if root.link:  # what is not seen there was not removed by hand
        if root.leads_away:
            yield Noted(
                stage="look", text=f"The skills in {root.path} are not used: {link_text(root.link)}", level="warning"
            )
        return RootScan(root=root, version_store=store, seen=seen)
    past = before or [skill for where, skill in store.histories.skills(key) if where == key]
    gone = sorted(skill for skill in past if skill not in here)
    yield Ended(stage="look", text=f"{len(seen)} skills in {root.path}")
    return number_versions(RootScan(root=root, version_store=store, seen=seen, before=before, gone=gone))


def number_versions(scan: RootScan) -> RootScan:
    """The scan with each changed skill's newest version, and with the state of its history in the fingerprint."""
    done: list[ScannedSkill] = []
    for one in scan.seen:
        if one.glance is scan.before.get(one.at.skill):
            done.append(one)
            continue
        history = last_change(scan.version_store.histories.folder_of(scan.key, one.at.skill))
        stamp = one.glance.fingerprint.partition("-")[0]
        number = scan.version_store.histories.last_number(scan.key, one.at.skill)
        glance = replace(one.glance, fingerprint=stamp and f"{stamp}-{history}", version=number)
        done.append(replace(one, glance=glance))
    return replace(scan, seen=done)


def skills_of(library: Library, scans: Sequence[RootScan], order: Order) -> list[Skill]:
    """The rows of a list: what is on disk, then what is only in the history."""
    with library.ctx.store.read() as transaction:
        known = {one.skill.casefold(): one for one in profiles.list_all(transaction)}
        decided = package_decisions.list_all(transaction)
    for scan in scans:
        known |= {one.skill.casefold(): one for one in missing_profiles(library, scan, known)}
    seen = [(scan, one) for scan in scans for one in scan.seen]
    held = {one.at: hold for scan, one in seen if (hold := _hold(library, scan, one, decided)).reason}
    wins = winners((one.at for _, one in seen if one.at not in held), order)
    rows = [_row(scan, one, known, wins, held.get(one.at, FREE)) for scan, one in _once(seen)]
    return [*rows, *_absent_skills(library, scans, known, {row.name.casefold() for row in rows})]


def _once(seen: Sequence[tuple[RootScan, ScannedSkill]]) -> list[tuple[RootScan, ScannedSkill]]:
    """The skill of each folder on disk: where it lies itself, else the first link to it."""
    first = {one.at.real: one for _, one in reversed(seen)}
    first |= {one.at.real: one for scan, one in seen if one.at.real == scan.root.real / one.at.skill}
    return [(scan, one) for scan, one in seen if first[one.at.real] is one]


def missing_profiles(library: Library, scan: RootScan, known: Mapping[str, Profile]) -> Iterator[Profile]:
    """Profiles of changed or removed skills that have none, from their histories if these have several versions."""
    ctx, done = library.ctx, set(known)
    for skill in (*scan.changed_skills, *scan.gone):
        name = name_of(skill)
        if name.casefold() not in done:
            done.add(name.casefold())
            found = FoundSkill(version_store=scan.version_store, root=scan.root, skill=skill)
            first = scan.version_store.histories.last_number(found.key, skill) <= 1
            plain = Profile(skill=name, workspace=ctx.name, changed=ctx.now())
            yield plain if first else profile_from_history(found, ctx.name) or plain


def _scan_folders(
    store: VersionStore, root: Root, before: Mapping[str, Glance]
) -> Generator[Event, None, list[ScannedSkill]]:
    key = store.key(root.real)
    found = list(skill_folders_in(root))
    yield Began(stage="look", total=len(found))
    seen: list[ScannedSkill] = []
    histories = str(store.histories.folder)
    for at in found:
        seen.append(scan_skill(at, before.get(at.skill), f"{histories}/{folder_name(key, at.skill)}"))
        if len(seen) % STEP == 0:
            yield Advanced(stage="look", done=len(seen), total=len(found))
    return seen


def _hold(library: Library, scan: RootScan, one: ScannedSkill, decided: Mapping[str, PackageDecision]) -> Hold:
    found = FoundSkill(version_store=scan.version_store, root=scan.root, skill=one.at.skill)
    return hold_of(library.ctx, found, one.glance.hash, decided.get(one.glance.hash))


def _row(
    scan: RootScan, one: ScannedSkill, known: Mapping[str, Profile], wins: Mapping[str, SkillFolder], hold: Hold
) -> Skill:
    name = name_of(one.at.skill)
    profile = known.get(name.casefold()) or Profile(skill=name, workspace="")
    winner = wins.get(lookalike_key(name), one.at)
    return Skill(
        name=name,
        root=str(scan.root.path),
        folder=one.at.folder,
        status=profile.status if profile.status not in GONE else "active",
        origin=profile.origin,
        version=one.glance.version,
        hash=one.glance.hash,
        description=one.glance.description,
        stamp=one.stamp,
        problem=one.glance.problem,
        held=hold.reason,
        waits=hold.waits,
        pinned=profile.pinned,
        shadowed_by="" if winner.real == one.at.real else str(winner.folder),
        unsaved=scan.is_unsaved(one),
    )


def _absent_skills(
    library: Library, scans: Sequence[RootScan], known: Mapping[str, Profile], there: set[str]
) -> Iterator[Skill]:
    """Skills that are archived, deleted, or removed by hand: their versions are kept, their folders are gone."""
    removed = {
        name_of(skill).casefold(): FoundSkill(version_store=scan.version_store, root=scan.root, skill=skill)
        for scan in reversed(scans)
        for skill in scan.gone
    }
    for name, profile in known.items():
        if name in there or not (name in removed or profile.status in GONE):
            continue
        with suppress(MetierError):
            found = removed.get(name) or library.find(profile.skill)
            last = found.last()
            if last and (last.out or name in removed):
                yield Skill(
                    name=profile.skill,
                    root=str(found.root.path),
                    folder=found.folder,
                    status=last.status if last.out else "deleted",
                    origin=profile.origin,
                    version=last.number,
                    hash=last.hash,
                    description=found.load(last).description,
                    pinned=profile.pinned,
                    unsaved=not last.out,
                )
