"""Looking at the library: every skill there is, with its version and how it is doing."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from metier.errors import MetierError, StoreError
from metier.events import Advanced, Began, Ended
from metier.library import profiles as standing
from metier.library import scan as look
from metier.library.hand_edits import STEP, noticed
from metier.library.roots import ordered, winners
from metier.library.skills import Found
from metier.library.versions.history import place_name
from metier.skills.names import fold
from metier.store.tables.shipping import glances, profiles
from metier.types.skills import Glance, Profile

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping, Sequence
    from pathlib import Path

    from metier.config import Order
    from metier.events import Event
    from metier.library.roots import Root, Sighting
    from metier.library.scan import Look
    from metier.library.skills import Library
    from metier.library.versions.shelf import Shelf
    from metier.types.skills import SkillOrigin, SkillStatus, Version


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """A skill as a person sees it: what it is for, where it is, how it is doing."""

    name: str
    root: str
    folder: Path
    status: SkillStatus
    origin: SkillOrigin
    version: int
    hash: str
    description: str
    problem: str = ""
    pinned: bool = False
    shadowed_by: str = ""
    """The folder of the skill of the same name that wins; empty: this one does."""


def all_skills(library: Library, order: Order | None = None) -> list[Skill]:
    """The same as `listed`, for who does not want to know how far it got."""
    events = listed(library, order)
    while True:
        try:
            next(events)
        except StopIteration as end:
            return end.value


def listed(library: Library, order: Order | None = None) -> Generator[Event, None, list[Skill]]:
    """Every skill there is, in the order of the roots, then those that are only kept."""
    order = order or library.ctx.config.skill_order
    seen: list[Look] = []
    for root in ordered(library.roots, order):
        seen += yield from looked(library, root)
    with library.ctx.store.read() as transaction:
        known = {one.skill.casefold(): one for one in profiles.listed(transaction)}
    wins = winners((one.at for one in seen), order)
    real = {one.at.real: one for one in reversed(seen)}
    roots = {root: str(root.path) for root in library.roots}
    rows = [_skill(one, known, wins, roots) for one in seen if real[one.at.real] is one]
    return [*rows, *_kept(library, known, {row.name.casefold() for row in rows})]


def looked(library: Library, root: Root) -> Generator[Event, None, list[Look]]:
    """The skills of one root, read where they changed; what a person did becomes versions."""
    shelf = library.shelf_of(root)
    key = shelf.key(root.real)
    with library.ctx.store.read() as transaction:
        before = glances.listed(transaction, str(root.real))
    seen = yield from _glanced(shelf, root, before)
    gone = _gone(shelf, key, before, {one.at.skill for one in seen})
    fresh = [one.at.skill for one in seen if one.package and one.at.real == root.real / one.at.skill]
    made = [last for skill in gone if (last := shelf.histories.last(key, skill))]
    if root.writable and (fresh or gone):
        with suppress(MetierError):  # one can look at what cannot be written, too
            made += yield from noticed(library.ctx, shelf, root, [*fresh, *gone])
    seen = _numbered(shelf, key, seen, before)
    changed = [one.at.skill for one in seen if one.glance is not before.get(one.at.skill)]
    _remember(library, root, seen, before, made, [*changed, *gone])
    yield Ended(stage="look", text=f"{len(seen)} skills in {root.path}")
    return seen


def _glanced(shelf: Shelf, root: Root, before: Mapping[str, Glance]) -> Generator[Event, None, list[Look]]:
    key = shelf.key(root.real)
    found = list(look.sightings(root))
    yield Began(stage="look", total=len(found))
    seen: list[Look] = []
    histories = str(shelf.histories.folder)
    for at in found:
        seen.append(look.look(at, before.get(at.skill), f"{histories}/{place_name(key, at.skill)}"))
        if len(seen) % STEP == 0:
            yield Advanced(stage="look", done=len(seen), total=len(found))
    return seen


def _gone(shelf: Shelf, key: str, before: Mapping[str, Glance], here: set[str]) -> list[str]:
    """Skills that were there at the last look, or that have a history when nothing is remembered of any look."""
    return sorted(before.keys() - here) if before else [name for name in _past(shelf, key) if name not in here]


def _past(shelf: Shelf, key: str) -> list[str]:
    """Skills of a root that have a history, whether they are there or not."""
    return [skill for root, skill in shelf.histories.skills(key) if root == key]


def _numbered(shelf: Shelf, key: str, seen: Sequence[Look], before: Mapping[str, Glance]) -> list[Look]:
    """The looks with their versions, and with fingerprints that include the histories as they are now."""
    done: list[Look] = []
    for one in seen:
        if one.glance is before.get(one.at.skill):
            done.append(one)
            continue
        stamp = (
            one.glance.fingerprint
            and f"{one.glance.fingerprint}-{look.changed(shelf.histories.place(key, one.at.skill))}"
        )
        number = shelf.histories.last_number(key, one.at.skill)
        done.append(replace(one, glance=replace(one.glance, fingerprint=stamp, version=number)))
    return done


def _remember(
    library: Library,
    root: Root,
    seen: Sequence[Look],
    before: Mapping[str, Glance],
    made: Sequence[Version],
    touched: Sequence[str],
) -> None:
    """Put into the store what the next look need not read again, and a profile for whom has none."""
    if not touched:
        return
    fresh = {one.at.skill: one.glance for one in seen if one.glance is not before.get(one.at.skill)}
    gone = before.keys() - {one.at.skill for one in seen}
    with suppress(StoreError), library.ctx.store.write() as transaction:  # else the next look does it
        glances.put(transaction, str(root.real), fresh)
        glances.forget(transaction, str(root.real), gone)
        known = {one.skill.casefold(): one for one in profiles.listed(transaction)}
        standing.follow(library.ctx, transaction, [one for one in made if standing.is_behind(known, one)])
        profiles.put(transaction, list(_newcomers(library, root, touched, set(known))))


def _newcomers(library: Library, root: Root, skills: Sequence[str], known: set[str]) -> Iterator[Profile]:
    """Profiles of skills that have none, from their histories where these have more than one version."""
    shelf = library.shelf_of(root)
    for skill in skills:
        name = standing.name_of(skill)
        if name.casefold() not in known:
            known.add(name.casefold())
            found = Found(shelf=shelf, root=root, skill=skill)
            first = shelf.histories.last_number(found.key, skill) <= 1
            plain = Profile(skill=name, workspace=library.ctx.name, changed=library.ctx.now())
            yield plain if first else standing.rebuilt(found, library.ctx.name) or plain


def _skill(one: Look, known: Mapping[str, Profile], wins: Mapping[str, Sighting], roots: Mapping[Root, str]) -> Skill:
    name = standing.name_of(one.at.skill)
    profile = known.get(name.casefold()) or Profile(skill=name, workspace="")
    winner = wins.get(fold(name), one.at)
    return Skill(
        name=name,
        root=roots[one.at.root],
        folder=one.at.folder,
        status=profile.status if profile.status not in ("archived", "deleted") else "active",
        origin=profile.origin,
        version=one.glance.version,
        hash=one.glance.hash,
        description=one.glance.description,
        problem=one.glance.problem,
        pinned=profile.pinned,
        shadowed_by="" if winner.real == one.at.real else str(winner.folder),
    )


def _kept(library: Library, known: Mapping[str, Profile], there: set[str]) -> Iterator[Skill]:
    """Skills that are archived or deleted: kept, and in nobody's sight."""
    for name, profile in known.items():
        if name in there or profile.status not in ("archived", "deleted"):
            continue
        with suppress(MetierError):
            found = library.find(profile.skill)
            last = found.last()
            if last and last.out:
                yield Skill(
                    name=profile.skill,
                    root=str(found.root.path),
                    folder=found.folder,
                    status=last.status,
                    origin=profile.origin,
                    version=last.number,
                    hash=last.hash,
                    description=found.load(last).description,
                    pinned=profile.pinned,
                )
