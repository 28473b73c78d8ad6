"""Apply: packages put into their roots, all of them or none, each as a version that can be taken back."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from metier.errors import ConflictError, MetierError, RefusedError, StoreError
from metier.folders import IN_THE_WAY, TOP, refuse_links
from metier.library.disk.atomic_files import WriteBatch
from metier.library.disk.slot import ABSENT, SkillSlot
from metier.library.versions import journal
from metier.library.versions.history import VersionEntry
from metier.library.versions.objects import files_of, modes_in
from metier.library.versions.version_store import BESIDE
from metier.skills.names import lookalike_key, name_problem, path_problem
from metier.types.skills import Version

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from metier.library.versions.version_store import VersionStore
    from metier.skills.package import Package

TRIES = 5
"""How often it is tried to take a change back while somebody else moves the same folders."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillChange:
    """What is to become of one skill."""

    root: Path
    package: Package
    base: str
    """The hash of what is there now; empty: nothing. Anything else there is a conflict."""
    version: Version
    """What the new version is to say; number, hash, root and files are filled in."""
    past: tuple[Version, ...] = ()
    """A history that comes with the skill: older versions from elsewhere, their bytes kept already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step:
    """A change with its place and its entries."""

    place: SkillSlot
    entry: VersionEntry
    package: Package
    earlier: tuple[VersionEntry, ...] = ()
    """Versions that come before it: a past it brings along, or what a person did and nobody has kept yet."""
    unseen: Package | None = None
    """What that person did."""
    modes: Mapping[str, int]
    """Of the files and folders it replaces, or had when it was kept."""


def apply_changes(store: VersionStore, changes: Sequence[SkillChange]) -> list[Version]:
    """Carry out all changes or none; returns the new versions. What somebody else changed meanwhile is a conflict."""
    if not changes:
        return []
    _check_batch(changes)
    with store.writing():
        if not journal.is_clean(store):
            journal.recover(store)
            waiting = journal.unfinished_skills(store)
            for change in changes:
                journal.check_settled(store, waiting, store.key(change.root), change.version.skill)
        return _carry_out(store, changes)


def _carry_out(store: VersionStore, changes: Sequence[SkillChange]) -> list[Version]:
    """All changes, as far as nothing stands in their way."""
    steps = [_prepare(store, change) for change in changes]
    writes = _write_all(store, steps)
    begun = _begin(store, steps, writes)
    _swap(store, steps, begun)
    _file(store, steps, begun, writes.objects)
    for step in steps:
        if step.entry.staged:
            step.place.retire(step.entry.staged)
    return [step.entry.version for step in steps]


def _prepare(store: VersionStore, change: SkillChange) -> _Step:
    skill, out, key = change.version.skill, change.version.out, store.key(change.root)
    number, last = store.histories.newest(key, skill)
    if last is None and change.base == ABSENT:
        _check_name(skill, name_problem(skill))
    staging, beside = _staging_for(store, change.root, made=not out)
    place = SkillSlot(root=change.root, skill=skill, staging=staging)
    live, modes = _read_expected(place, change)
    modes = modes if live else modes_in(last.files if last else ())
    unseen = None if _is_known(last, change.base) else live
    earlier = [*change.past, *([_hand_edit_version(unseen, change.version, last)] if unseen else [])]
    version = replace(
        change.version,
        root=key,
        number=number + len(earlier) + 1,
        hash=change.package.hash(),
        parent=change.base,
        files=files_of(change.package, modes),
    )
    moves = (ABSENT if out else version.hash) != change.base
    return _Step(
        place=place,
        entry=VersionEntry(version=version, staged=store.new_name() if moves else "", beside=beside),
        package=change.package,
        earlier=tuple(
            VersionEntry(version=replace(one, root=key, number=number + at)) for at, one in enumerate(earlier, 1)
        ),
        unseen=unseen,
        modes=modes,
    )


def _read_expected(place: SkillSlot, change: SkillChange) -> tuple[Package | None, dict[str, int]]:
    """What lies there, if it is what the change was made against, with the modes of its files."""
    live, modes = place.package_with_modes()
    found = live.hash() if live else ABSENT
    if found != change.base:
        raise ConflictError(_conflict_text(place, change.base, found))
    if found == ABSENT and not change.version.out:
        _check_alike(place)
    return live, modes


def _is_known(last: Version | None, found: str) -> bool:
    """Whether what lies there is what the history says."""
    return last is not None and not last.out and last.hash == found


def _hand_edit_version(package: Package, change: Version, last: Version | None) -> Version:
    """What a person did since the last look: no bytes are replaced that no version holds."""
    return Version(
        skill=change.skill,
        root="",
        number=0,
        hash=package.hash(),
        action="hand-edit" if last else "found",
        origin=last.origin if last else "manual",
        summary="changed by hand" if last else "found on disk",
        parent=last.hash if last and not last.out else ABSENT,
        created=change.created,
        files=files_of(package),
    )


def _staging_for(store: VersionStore, root: Path, *, made: bool) -> tuple[Path, bool]:
    try:
        return store.staging_for(root, made=made)
    except FileNotFoundError:
        raise RefusedError(f"There is no folder {root}.") from None
    except OSError as error:
        refuse_links(TOP, root / BESIDE)
        if error.errno in IN_THE_WAY:  # it came and went at this moment
            raise ConflictError(f"{root} was changed by somebody else at this moment. Try again.") from None
        raise StoreError(f"{root} cannot be written: {error.strerror}. Nothing was changed.") from None


def _write_all(store: VersionStore, steps: Sequence[_Step]) -> WriteBatch:
    """Everything the steps need on disk: the bytes to keep, and the packages beside their places."""
    writes = WriteBatch()
    try:
        for step in steps:
            if step.unseen:
                store.objects.write(step.unseen, step.earlier[-1].version.files, writes)
            store.objects.write(step.package, step.entry.version.files, writes)
            if step.entry.staged and not step.entry.version.out:
                step.place.stage(step.package, step.entry.staged, writes, step.modes)
    except (OSError, StoreError) as error:
        writes.close(lasting=False)
        store.sweep(roots=_roots(steps))
        if isinstance(error, StoreError):
            raise
        raise StoreError(f"{error.filename or store.staging}: {error.strerror}. Nothing was changed.") from None
    return writes


def _begin(store: VersionStore, steps: Sequence[_Step], writes: WriteBatch) -> list[VersionEntry]:
    entries = [entry for step in steps for entry in (*step.earlier, step.entry)]
    try:
        return journal.begin(store, entries, writes)
    except StoreError:
        store.sweep(roots=_roots(steps))
        raise


def _swap(store: VersionStore, steps: Sequence[_Step], begun: list[VersionEntry]) -> None:
    """Put every package into its place; if one cannot be, the others go back."""
    for step in steps:
        try:
            if step.entry.staged:
                _move(step)
                _check_swapped(step)
        except ConflictError:
            _undo(store, steps, begun)
            raise
        except (FileExistsError, FileNotFoundError, NotADirectoryError):  # so does a link in a folder's place
            _undo(store, steps, begun)
            raise ConflictError(_overtaken_text(step.place)) from None
        except (OSError, StoreError) as error:
            _undo(store, steps, begun)
            why = error.strerror if isinstance(error, OSError) else str(error)
            raise StoreError(f"{step.place.folder}: {why}. Nothing was changed.") from None


def _undo(store: VersionStore, steps: Sequence[_Step], begun: list[VersionEntry]) -> None:
    """Take a change back; whoever disturbs it at the same moment does so only a few times."""
    for left in reversed(range(TRIES)):
        try:
            journal.undo(store, begun)
        except (OSError, MetierError) as error:
            if not left:
                said = f"A change was interrupted ({error}); the next command that writes completes it or undoes it."
                raise StoreError(said) from None
        else:
            break
    store.sweep(roots=_roots(steps))


def _file(store: VersionStore, steps: Sequence[_Step], begun: list[VersionEntry], objects: Iterable[str]) -> None:
    """Give the versions their places in the history; a disk that says no takes all back, while it is not too late."""
    try:
        journal.finish(store, begun, objects)
    except OSError as error:
        if not journal.is_filed(store, begun):
            _undo(store, steps, begun)
            raise StoreError(f"{store.histories.folder}: {error.strerror}. Nothing was changed.") from None
        said = "The change is made; the next command that writes completes its history."
        raise StoreError(f"{store.histories.folder}: {error.strerror}. {said}") from None


def _move(step: _Step) -> None:
    if step.entry.version.out:
        step.place.take_out(step.entry.staged)
    else:
        step.place.put(step.entry.staged, replaces=step.entry.version.parent != ABSENT)


def _check_swapped(step: _Step) -> None:
    """Whether what was taken out is what was expected: between look and exchange somebody may have been faster."""
    before = step.entry.version.parent
    if before != ABSENT and step.place.staged_hash(step.entry.staged) != before:
        raise ConflictError(_overtaken_text(step.place))


def _check_batch(changes: Sequence[SkillChange]) -> None:
    """One batch changes a skill once, makes no two that look alike, and leaves no root."""
    seen: set[tuple[Path, str]] = set()
    for change in changes:
        _check_name(change.version.skill, path_problem(change.version.skill))
        where = (change.root, lookalike_key(change.version.skill))
        if where in seen:
            raise RefusedError(f"Two changes are for {change.version.skill}, or for a name that looks like it.")
        seen.add(where)


def _check_name(skill: str, problem: str | None) -> None:
    if problem:
        raise RefusedError(f"{skill[:80]!r} cannot be the name of a skill: {problem}.")


def _check_alike(place: SkillSlot) -> None:
    """A skill that comes needs a name that nobody can take for another one beside it."""
    name = place.folder.name
    with suppress(FileNotFoundError):
        for other in os.listdir(place.folder.parent):  # noqa: PTH208 - names are all it takes
            if other != name and lookalike_key(other) == lookalike_key(name):
                raise RefusedError(f"'{name}' looks like '{other}', which already exists. Choose another name.")


def _roots(steps: Sequence[_Step]) -> set[Path]:
    return {step.place.root for step in steps}


def _overtaken_text(place: SkillSlot) -> str:
    return f"{place.folder} was changed by somebody else at this moment. Look at it again."


def _conflict_text(place: SkillSlot, base: str, found: str) -> str:
    if found == ABSENT:
        return f"There is no skill in {place.folder} any more, though there was when this change was made."
    if base == ABSENT:
        return f"{place.folder} already exists (its hash is {found[:12]}); a new skill needs a free name."
    return (
        f"{place.folder} has changed since this change was made: its hash is {found[:12]}, not {base[:12]}. "
        "Look at it again, then repeat the change."
    )
