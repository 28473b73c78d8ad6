"""Changes of skills that tests disturb, and the hashes of the skills before and after them."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from shelves import Bench, package

from metier.library.hand_edits import HandEditBatch, save_hand_edit
from metier.library.versions import journal
from metier.library.versions.apply import apply_changes
from metier.types.skills import Version

if TYPE_CHECKING:
    from collections.abc import Callable

NAMES = ("build", "deploy", "test")
FIRST = {name: package(name, "first", run=b"1", help=name.encode()) for name in NAMES}
SECOND = {name: package(name, "second", run=b"2") for name in NAMES}


def edited(bench: Bench) -> None:
    bench.apply("deploy", SECOND["deploy"], FIRST["deploy"].hash())


def batch(bench: Bench) -> None:
    apply_changes(bench.version_store, [bench.change(name, SECOND[name], FIRST[name].hash()) for name in NAMES])


def created(bench: Bench) -> None:
    bench.apply("brand-new", SECOND["deploy"], "")


def archived(bench: Bench) -> None:
    bench.apply("deploy", FIRST["deploy"], FIRST["deploy"].hash(), action="archive", status="archived")


def mixed(bench: Bench) -> None:
    """One is changed, one is new, one goes."""
    gone = bench.change("test", FIRST["test"], FIRST["test"].hash(), action="archive", status="archived")
    changed = bench.change("build", SECOND["build"], FIRST["build"].hash())
    apply_changes(bench.version_store, [changed, bench.change("brand-new", SECOND["deploy"]), gone])


def seen(bench: Bench) -> None:
    """What a person did is kept as a version."""
    store = bench.version_store
    with store.writing():
        if not journal.is_clean(store):
            journal.recover(store)
        save_hand_edit(store, bench.root, SECOND["deploy"], Version(skill="deploy", root="", number=0, hash=""))


def seen_together(bench: Bench) -> None:
    """What a person did to all of them is kept as versions that are made to last together."""
    store = bench.version_store
    with store.writing():
        if not journal.is_clean(store):
            journal.recover(store)
        pile = HandEditBatch(version_store=store, waiting=journal.unfinished_skills(store))
        for name in NAMES:
            last = store.histories.last(".agents/skills", name)
            if last and last.hash != SECOND[name].hash():
                pile.add(bench.root, SECOND[name], Version(skill=name, root="", number=0, hash=""))
        pile.save_all()


@dataclass(frozen=True, kw_only=True)
class Act:
    """A change, and the hashes of the skills before it and after it."""

    do: Callable[[Bench], None]
    after: dict[str, str]

    @property
    def before(self) -> dict[str, str]:
        return {name: FIRST[name].hash() if name in FIRST else "" for name in self.after}


ACTS = {
    "edit": Act(do=edited, after={"deploy": SECOND["deploy"].hash()}),
    "batch": Act(do=batch, after={name: SECOND[name].hash() for name in NAMES}),
    "create": Act(do=created, after={"brand-new": SECOND["deploy"].hash()}),
    "archive": Act(do=archived, after={"deploy": ""}),
    "mixed": Act(do=mixed, after={"build": SECOND["build"].hash(), "brand-new": SECOND["deploy"].hash(), "test": ""}),
}


def hashes(bench: Bench, act: Act) -> dict[str, str]:
    return {name: bench.hash(name) for name in act.after}


def begun(folder: Path) -> Bench:
    bench = Bench(folder=folder)
    apply_changes(bench.version_store, [bench.change(name, FIRST[name]) for name in NAMES])
    return bench


def settled(bench: Bench) -> None:
    """What the next command that writes does first."""
    bench.apply("unrelated", package("unrelated", os.urandom(4).hex()))


if __name__ == "__main__":
    done = seen_together if sys.argv[1] == "seen" else ACTS[sys.argv[1]].do
    done(Bench(folder=Path(sys.argv[2])))
