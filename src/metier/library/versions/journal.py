"""Changes that were begun, on disk before anything moves: whoever comes next finishes them or takes them back."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from metier.errors import DamagedError, MetierError, NotFoundError, StoreError
from metier.folders import TOP, refuse_links
from metier.library.disk.atomic_files import WriteBatch, sync
from metier.library.disk.slot import ABSENT, SkillSlot
from metier.library.versions.history import (
    DamagedVersion,
    VersionEntry,
    file_name,
    parse_entry,
    read_entry,
    write_entry,
)
from metier.library.versions.objects import is_object, modes_in
from metier.library.versions.version_store import BESIDE, OUT
from metier.types.skills import RecoveredChange

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from pathlib import Path

    from metier.library.versions.version_store import VersionStore


def begin(store: VersionStore, entries: Sequence[VersionEntry], writes: WriteBatch) -> list[VersionEntry]:
    """Write down, durably, what is about to happen; from here on it happens, whatever comes between.

    What it needs was written with the same writes and lasts from the same moment; a note that lasts without it, or it
    without the note, was cut short before anything moved.
    """
    mark = secrets.token_hex(8)
    batch = tuple(_name(store, entry) for entry in entries)
    begun = [replace(entry, mark=mark, batch=batch) for entry in entries]
    try:
        for entry in begun:
            _make_folder(store, entry, lasting=writes.lasting)
        for entry in begun:
            writes.write(store.journal, _note(store, entry), write_entry(entry))
        writes.close(lasting=True)
    except OSError as error:
        writes.close(lasting=False)
        forget(store, begun)
        raise StoreError(f"{store.journal} cannot be written: {error.strerror}. Nothing was changed.") from None
    return begun


def finish(store: VersionStore, begun: Iterable[VersionEntry], objects: Iterable[str]) -> None:
    """Give every version of a change that is done its place in the history, after the objects it brought."""
    store.objects.file_all(objects)
    for entry in begun:
        os.replace(f"{store.journal}/{_note(store, entry)}", f"{store.state}/{_name(store, entry)}")  # noqa: PTH105


def is_filed(store: VersionStore, entries: Sequence[VersionEntry]) -> bool:
    """Whether a version of a change has its place already: then all the others get theirs, too."""
    return any(_is_of(store.state / name, entries[0].mark) for name in entries[0].batch)


def undo(store: VersionStore, begun: Sequence[VersionEntry]) -> None:
    """Undo what was done of a change and forget it."""
    for entry in reversed(begun):
        _back(store, entry)
    forget(store, begun)


def forget(store: VersionStore, begun: Iterable[VersionEntry]) -> None:
    """Forget a change that did not happen."""
    for entry in begun:
        with suppress(OSError):
            (store.journal / _note(store, entry)).unlink()
    with suppress(OSError):
        sync(store.journal)


def unfinished_changes(store: VersionStore) -> list[list[VersionEntry]]:
    """The changes that were begun and are not finished, each as its entries, older ones first; needs `writing`."""
    batches: dict[str, list[VersionEntry]] = {}
    unread: set[str] = set()
    for file in sorted(store.journal.iterdir()):
        if is_object(file.name):
            continue
        mark = file.name.partition("-")[0]
        try:
            found = parse_entry(file.read_text(encoding="utf-8"))
        except OSError:  # it is not known what it says: another time
            unread.add(mark)
        except ValueError:  # killed while it was being written down
            file.unlink(missing_ok=True)
        else:
            batches.setdefault(mark, []).append(found)
    waiting = [entries for mark, entries in batches.items() if mark not in unread]
    return sorted(waiting, key=lambda entries: min(entry.version.number for entry in entries))


def is_clean(store: VersionStore) -> bool:
    """Whether no change waits to be finished."""
    try:
        return not os.listdir(store.journal)  # noqa: PTH208 - names are all it takes
    except (FileNotFoundError, NotADirectoryError):
        return True


def unfinished_skills(store: VersionStore) -> set[tuple[str, str]]:
    """Root and name of every skill of which a change was begun and is not finished; needs `writing`."""
    if is_clean(store):
        return set()
    return {(entry.version.root, entry.version.skill) for entries in unfinished_changes(store) for entry in entries}


def check_settled(store: VersionStore, waiting: Collection[tuple[str, str]], key: str, skill: str) -> None:
    """Refuse a skill whose last change is not settled yet: its number and its place are taken."""
    if (key, skill) in waiting:
        folder = store.root(key) / skill
        raise StoreError(f"An earlier change of {folder} was interrupted and cannot be completed: is it readable?")


def recover(store: VersionStore) -> list[RecoveredChange]:
    """Finish or take back every change that was begun; needs `writing`. One that cannot be is left for later."""
    done: list[RecoveredChange] = []
    for entries in unfinished_changes(store):
        try:
            how = _settle_batch(store, entries)
        except (OSError, MetierError) as error:
            how = f"still waiting: {error}"
        done += [RecoveredChange(version=entry.version, how=how) for entry in entries]
    store.sweep(roots={store.root(one.version.root) for one in done})
    return done


def slot_of(store: VersionStore, entry: VersionEntry) -> SkillSlot:
    """Where a version's package is or is to be."""
    root = store.root(entry.version.root)
    return SkillSlot(root=root, skill=entry.version.skill, staging=root / BESIDE if entry.beside else store.staging)


def _settle_batch(store: VersionStore, entries: list[VersionEntry]) -> str:
    for entry in entries:
        refuse_links(TOP, store.root(entry.version.root))  # what is behind it says nothing about the change
    if not is_filed(store, entries):
        if len(entries) < len(entries[0].batch) or _is_short(store, entries):
            forget(store, entries)  # cut short while it was being written down: nothing had moved yet
            return "taken back"
        if any(_is_foreign(store, entry) for entry in entries):
            undo(store, entries)
            return "taken back: a skill was changed by hand meanwhile"
        _make_last(store, entries)
        for entry in entries:
            _forward(store, entry)
    for entry in entries:
        _make_folder(store, entry, lasting=True)
    finish(store, entries, _objects(entries))
    for entry in entries:
        if entry.staged:
            slot_of(store, entry).retire(entry.staged)
    return "finished"


def _objects(entries: Iterable[VersionEntry]) -> set[str]:
    """The objects that some versions are made of."""
    return {file.object for entry in entries for file in entry.version.files}


def _is_of(file: Path, mark: str) -> bool:
    """Whether a version's file was written by that change; one that cannot be read is taken for it."""
    if not file.exists():
        return False
    found = read_entry(file)
    return isinstance(found, DamagedVersion) or found.mark == mark


def _make_folder(store: VersionStore, entry: VersionEntry, *, lasting: bool) -> None:
    """Make the folder of a skill's history."""
    folder = store.histories.folder_of(entry.version.root, entry.version.skill)
    if not os.path.isdir(folder):  # noqa: PTH112 - at every change
        folder.mkdir(mode=0o700, exist_ok=True)
        if lasting:
            sync(folder.parent)


def _name(store: VersionStore, entry: VersionEntry) -> str:
    """What a batch calls one of its versions: the place of its file below the state folder."""
    return f"{store.histories.folder.name}/{file_name(entry.version)}"


def _note(store: VersionStore, entry: VersionEntry) -> str:
    """The name of an entry's file while its change goes on."""
    return f"{entry.mark}-{entry.batch.index(_name(store, entry))}.json"


def _wanted(entry: VersionEntry) -> str:
    """The hash a place has when the change is done."""
    return ABSENT if entry.version.out else entry.version.hash


def _is_short(store: VersionStore, entries: Sequence[VersionEntry]) -> bool:
    """Whether a change that was written down lacks bytes it needs; that can only be while nothing has moved yet."""
    try:
        for entry in entries:
            store.objects.load(entry.version.files)
    except (NotFoundError, DamagedError):
        moved = (entry for entry in entries if entry.staged and slot_of(store, entry).hash() == _wanted(entry))
        return next(moved, None) is None
    return False


def _make_last(store: VersionStore, entries: Sequence[VersionEntry]) -> None:
    """Make the notes of a change last, and the objects it brings: whoever was killed may not have come to that."""
    for name in _objects(entries):
        with suppress(FileNotFoundError):
            store.objects.rescue(name)
    writes = WriteBatch(named={store.journal})
    try:
        for entry in entries:
            writes.add_file(os.open(store.journal / _note(store, entry), os.O_RDONLY | os.O_CLOEXEC))
    except BaseException:
        writes.close(lasting=False)
        raise
    writes.close(lasting=True)


def _is_foreign(store: VersionStore, entry: VersionEntry) -> bool:
    """Whether a person had a hand in it: something lies there, or was taken out, that was not expected."""
    if not entry.staged:
        return False
    place, before = slot_of(store, entry), entry.version.parent
    live = place.hash()
    staged = place.staged_hash(entry.staged) or place.staged_hash(f"{entry.staged}{OUT}")
    if live == _wanted(entry):
        return staged not in (ABSENT, before, entry.version.hash)
    if live == before:
        return live == staged == ABSENT  # it was there already, and is gone again
    return live != ABSENT or place.staged_hash(f"{entry.staged}{OUT}") != before


def _forward(store: VersionStore, entry: VersionEntry) -> None:
    """Do what is left to do of a change."""
    if not entry.staged:
        return
    place = slot_of(store, entry)
    place.repair(entry.staged)
    live = place.hash()
    if live == _wanted(entry):
        return
    if entry.version.out:
        place.take_out(entry.staged)
        return
    place.drop(entry.staged)  # whether it would last is not known
    writes, files = WriteBatch(), entry.version.files
    try:
        place.stage(store.objects.load(files), entry.staged, writes, modes_in(files) | place.modes())
    except BaseException:
        writes.close(lasting=False)
        raise
    writes.close(lasting=True)
    place.put(entry.staged, replaces=live != ABSENT)


def _back(store: VersionStore, entry: VersionEntry) -> None:
    """Undo what was done of a change, where it was done."""
    if not entry.staged:
        return
    place = slot_of(store, entry)
    place.repair(entry.staged)
    live, staged = place.hash(), place.staged_hash(entry.staged)
    wanted, before = _wanted(entry), entry.version.parent
    if live == ABSENT and ABSENT not in (wanted, before) and staged not in (ABSENT, entry.version.hash, before):
        place.put(entry.staged, replaces=False)  # a person's, and what took its place is gone again
    elif live != wanted:
        return
    elif staged == ABSENT:
        if before == ABSENT:
            place.take_out(entry.staged)
    elif staged != entry.version.hash or entry.version.out:
        place.put(entry.staged, replaces=not entry.version.out)
