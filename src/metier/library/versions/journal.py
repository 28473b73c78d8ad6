"""Changes that were begun, on disk before anything moves: whoever comes next finishes them or takes them back."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from metier.errors import DamagedError, MetierError, NotFoundError, StoreError
from metier.library.disk.atomic_files import Ink, sync
from metier.library.disk.slot import ABSENT, Place
from metier.library.versions.history import Damaged, Entry, file_name, parse_entry, read_entry, write_entry
from metier.library.versions.objects import is_object, modes_in
from metier.library.versions.shelf import BESIDE, OUT

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from pathlib import Path

    from metier.library.versions.shelf import Shelf
    from metier.types.skills import Version


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovered:
    """What became of a change that was found unfinished."""

    version: Version
    how: str
    """`finished`, `taken back`, or why it still waits."""


def begin(shelf: Shelf, entries: Sequence[Entry], ink: Ink) -> list[Entry]:
    """Write down, durably, what is about to happen; from here on it happens, whatever comes between.

    What it needs was written with the same ink and lasts from the same moment; a note that lasts without it, or it
    without the note, was cut short before anything moved.
    """
    mark = secrets.token_hex(8)
    batch = tuple(_name(shelf, entry) for entry in entries)
    begun = [replace(entry, mark=mark, batch=batch) for entry in entries]
    try:
        for entry in begun:
            _make_folder(shelf, entry, lasting=ink.lasting)
        for entry in begun:
            ink.write(shelf.journal, _note(shelf, entry), write_entry(entry))
        ink.close(lasting=True)
    except OSError as error:
        ink.close(lasting=False)
        drop(shelf, begun)
        raise StoreError(f"{shelf.journal} cannot be written: {error.strerror}. Nothing was changed.") from None
    return begun


def finish(shelf: Shelf, begun: Iterable[Entry], objects: Iterable[str]) -> None:
    """Give every version of a change that is done its place in the history, after the objects it brought."""
    shelf.objects.place(objects)
    for entry in begun:
        os.replace(f"{shelf.journal}/{_note(shelf, entry)}", f"{shelf.state}/{_name(shelf, entry)}")  # noqa: PTH105


def is_filed(shelf: Shelf, entries: Sequence[Entry]) -> bool:
    """Whether a version of a change has its place already: then all the others get theirs, too."""
    return any(_is_of(shelf.state / name, entries[0].mark) for name in entries[0].batch)


def back(shelf: Shelf, begun: Sequence[Entry]) -> None:
    """Undo what was done of a change and forget it."""
    for entry in reversed(begun):
        _back(shelf, entry)
    drop(shelf, begun)


def drop(shelf: Shelf, begun: Iterable[Entry]) -> None:
    """Forget a change that did not happen."""
    for entry in begun:
        with suppress(OSError):
            (shelf.journal / _note(shelf, entry)).unlink()
    with suppress(OSError):
        sync(shelf.journal)


def pending(shelf: Shelf) -> list[list[Entry]]:
    """The changes that were begun and are not finished, each as its entries, older ones first; needs `writing`."""
    batches: dict[str, list[Entry]] = {}
    unread: set[str] = set()
    for file in sorted(shelf.journal.iterdir()):
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


def is_clean(shelf: Shelf) -> bool:
    """Whether no change waits to be finished."""
    try:
        return not os.listdir(shelf.journal)  # noqa: PTH208 - names are all it takes
    except FileNotFoundError:
        return True


def waiting(shelf: Shelf) -> set[tuple[str, str]]:
    """Root and name of every skill of which a change was begun and is not finished; needs `writing`."""
    if is_clean(shelf):
        return set()
    return {(entry.version.root, entry.version.skill) for entries in pending(shelf) for entry in entries}


def check_settled(shelf: Shelf, waiting: Collection[tuple[str, str]], key: str, skill: str) -> None:
    """Refuse a skill whose last change is not settled yet: its number and its place are taken."""
    if (key, skill) in waiting:
        folder = shelf.root(key) / skill
        raise StoreError(f"An earlier change of {folder} was cut short and cannot be settled: is it readable?")


def recover(shelf: Shelf) -> list[Recovered]:
    """Finish or take back every change that was begun; needs `writing`. One that cannot be is left for later."""
    done: list[Recovered] = []
    for entries in pending(shelf):
        try:
            how = _settle_batch(shelf, entries)
        except (OSError, MetierError) as error:
            how = f"still waiting: {error}"
        done += [Recovered(version=entry.version, how=how) for entry in entries]
    shelf.sweep(roots={shelf.root(one.version.root) for one in done})
    return done


def place_of(shelf: Shelf, entry: Entry) -> Place:
    """Where a version's package is or is to be."""
    root = shelf.root(entry.version.root)
    return Place(root=root, skill=entry.version.skill, staging=root / BESIDE if entry.beside else shelf.staging)


def _settle_batch(shelf: Shelf, entries: list[Entry]) -> str:
    if not is_filed(shelf, entries):
        if len(entries) < len(entries[0].batch) or _is_short(shelf, entries):
            drop(shelf, entries)  # cut short while it was being written down: nothing had moved yet
            return "taken back"
        if any(_is_foreign(shelf, entry) for entry in entries):
            back(shelf, entries)
            return "taken back: a skill was changed by hand meanwhile"
        _make_last(shelf, entries)
        for entry in entries:
            _forward(shelf, entry)
    for entry in entries:
        _make_folder(shelf, entry, lasting=True)
    finish(shelf, entries, _objects(entries))
    for entry in entries:
        if entry.staged and not place_of(shelf, entry).retire(entry.staged):
            shelf.littered = True
    return "finished"


def _objects(entries: Iterable[Entry]) -> set[str]:
    """The objects that some versions are made of."""
    return {file.object for entry in entries for file in entry.version.files}


def _is_of(file: Path, mark: str) -> bool:
    """Whether a version's file was written by that change; one that cannot be read is taken for it."""
    if not file.exists():
        return False
    found = read_entry(file)
    return isinstance(found, Damaged) or found.mark == mark


def _make_folder(shelf: Shelf, entry: Entry, *, lasting: bool) -> None:
    """Make the folder of a skill's history."""
    folder = shelf.histories.place(entry.version.root, entry.version.skill)
    if not os.path.isdir(folder):  # noqa: PTH112 - at every change
        folder.mkdir(mode=0o700, exist_ok=True)
        if lasting:
            sync(folder.parent)


def _name(shelf: Shelf, entry: Entry) -> str:
    """What a batch calls one of its versions: the place of its file below the state folder."""
    return f"{shelf.histories.folder.name}/{file_name(entry.version)}"


def _note(shelf: Shelf, entry: Entry) -> str:
    """The name of an entry's file while its change goes on."""
    return f"{entry.mark}-{entry.batch.index(_name(shelf, entry))}.json"


def _wanted(entry: Entry) -> str:
    """The hash a place has when the change is done."""
    return ABSENT if entry.version.out else entry.version.hash


def _is_short(shelf: Shelf, entries: Sequence[Entry]) -> bool:
    """Whether a change that was written down lacks bytes it needs; that can only be while nothing has moved yet."""
    try:
        for entry in entries:
            shelf.objects.load(entry.version.files)
    except (NotFoundError, DamagedError):
        moved = (entry for entry in entries if entry.staged and place_of(shelf, entry).hash() == _wanted(entry))
        return next(moved, None) is None
    return False


def _make_last(shelf: Shelf, entries: Sequence[Entry]) -> None:
    """Make the notes of a change last, and the objects it brings: whoever was killed may not have come to that."""
    for name in _objects(entries):
        with suppress(FileNotFoundError):
            shelf.objects.rescue(name)
    ink = Ink(named={shelf.journal})
    try:
        for entry in entries:
            ink.add_file(os.open(shelf.journal / _note(shelf, entry), os.O_RDONLY | os.O_CLOEXEC))
    except BaseException:
        ink.close(lasting=False)
        raise
    ink.close(lasting=True)


def _is_foreign(shelf: Shelf, entry: Entry) -> bool:
    """Whether a person had a hand in it: something lies there, or was taken out, that was not expected."""
    if not entry.staged:
        return False
    place, before = place_of(shelf, entry), entry.version.parent
    live = place.hash()
    staged = place.staged_hash(entry.staged) or place.staged_hash(f"{entry.staged}{OUT}")
    if live == _wanted(entry):
        return staged not in (ABSENT, before, entry.version.hash)
    if live == before:
        return live == staged == ABSENT  # it was there already, and is gone again
    return live != ABSENT or place.staged_hash(f"{entry.staged}{OUT}") != before


def _forward(shelf: Shelf, entry: Entry) -> None:
    """Do what is left to do of a change."""
    if not entry.staged:
        return
    place = place_of(shelf, entry)
    place.mend(entry.staged)
    live = place.hash()
    if live == _wanted(entry):
        return
    if entry.version.out:
        place.take(entry.staged)
        return
    place.drop(entry.staged)  # whether it would last is not known
    ink, files = Ink(), entry.version.files
    try:
        place.stage(shelf.objects.load(files), entry.staged, ink, modes_in(files) | place.modes())
    except BaseException:
        ink.close(lasting=False)
        raise
    ink.close(lasting=True)
    place.put(entry.staged, replaces=live != ABSENT)


def _back(shelf: Shelf, entry: Entry) -> None:
    """Undo what was done of a change, where it was done."""
    if not entry.staged:
        return
    place = place_of(shelf, entry)
    place.mend(entry.staged)
    live, staged = place.hash(), place.staged_hash(entry.staged)
    wanted, before = _wanted(entry), entry.version.parent
    if live == ABSENT and ABSENT not in (wanted, before) and staged not in (ABSENT, entry.version.hash, before):
        place.put(entry.staged, replaces=False)  # a person's, and what took its place is gone again
    elif live != wanted:
        return
    elif staged == ABSENT:
        if before == ABSENT:
            place.take(entry.staged)
    elif staged != entry.version.hash or entry.version.out:
        place.put(entry.staged, replaces=not entry.version.out)
