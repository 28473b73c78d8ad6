"""The child process of the library's fault tests: changes skills, or looks at them, and acknowledges what is done.

It acknowledges with `writev`, which no sweep counts or disturbs.
"""

from __future__ import annotations

import os
import random
import sys
import time
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from metier.context.context import find_workspace
from metier.errors import ConflictError, MetierError
from metier.library.disk.packages import read_package
from metier.library.versions import journal
from metier.library.versions.apply import SkillChange, apply_changes
from metier.library.versions.version_store import VersionStore
from metier.skills.package import Package
from metier.types.skills import Version
from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = ".agents/skills"
HEAD = "---\nname: {}\ndescription: Does {}. Use when it is to be done.\n---\n\n# {}\n\n{}\n"
NAMES = ("build", "deploy", "test")


def acknowledge(text: str) -> None:
    os.writev(1, [text.encode() + b"\n"])


def package(name: str, text: str) -> Package:
    """Three files that belong together: a reader who finds two texts in them has read two versions."""
    files = {
        "SKILL.md": HEAD.format(name, name, name, text).encode(),
        "scripts/run": f"#!/bin/sh\necho {text}\n".encode(),
        "references/more.md": text.encode() * 50,
    }
    return Package(files=files, executable=frozenset({"scripts/run"}))


def version_store_of(folder: str | Path) -> VersionStore:
    base = Path(folder).resolve()
    return VersionStore(state=find_workspace(str(base), environ_of(base)).history, base=base)


def change(folder: str | Path, name: str, to: Package, base: str) -> SkillChange:
    version = Version(skill=name, root="", number=0, hash="", summary="a test")
    return SkillChange(root=Path(folder).resolve() / ROOT, package=to, base=base, version=version)


def live(folder: str | Path, name: str) -> str:
    place = Path(folder) / ROOT / name
    return read_package(place).hash() if place.exists() else ""


def environ_of(folder: str | Path) -> dict[str, str]:
    return {"HOME": f"{folder}/home", "PATH": "", "METIER_HOME": f"{folder}/.state"}


def opened(folder: str) -> Workspace:
    return Workspace.open(folder, environ=environ_of(folder))


def put(folder: str, text: str, *names: str) -> None:
    """Apply one text to some skills as one change, unless that is done already."""
    if not Path(folder, ".state").exists():
        opened(folder).close()
    store = version_store_of(folder)
    with store.writing():
        journal.recover(store)
    wanted = [change(folder, name, package(name, text), live(folder, name)) for name in names]
    if any(one.base != one.package.hash() for one in wanted):
        apply_changes(store, wanted)
    acknowledge("done")


def do(folder: str, verb: str, name: str, *words: str) -> None:
    """A verb of the workspace; one that says it is done already is done."""
    with opened(folder) as ws:
        try:
            getattr(ws, verb)(name, *map(int, words))
        except MetierError as error:
            if "already" not in str(error):
                raise
    acknowledge("done")


def collect(folder: str) -> None:
    """Free what nobody needs."""
    from metier.library.proposals.garbage import collect_garbage as free

    with opened(folder) as ws:
        free(ws.library)
    acknowledge("done")


def look(folder: str) -> None:
    """List every skill."""
    with opened(folder) as ws:
        ws.record_hand_edits()
    acknowledge("done")


def many(folder: str, name: str, number: str, seed: str) -> None:
    """Apply one text after another to a skill; a refusal is fine, the next one comes."""
    store, texts = version_store_of(folder), random.Random(seed)
    for _ in range(int(number)):
        wanted = package(name, str(texts.random()))
        try:
            made = apply_changes(store, [change(folder, name, wanted, live(folder, name))])
        except (MetierError, OSError) as error:
            if not isinstance(error, (MetierError, FileNotFoundError, NotADirectoryError)):
                raise
            acknowledge(f"refused {type(error).__name__} {error}")
        else:
            acknowledge(f"applied {made[0].hash}")


def round_of(folder: str, name: str, base: str, text: str, gate: str) -> None:
    """One of many that try the same: change a skill made against the same base, when the gate opens."""
    store, wanted = version_store_of(folder), package(name, text)
    while not Path(gate).exists():
        time.sleep(0.0005)
    try:
        made = apply_changes(store, [change(folder, name, wanted, base)])
    except ConflictError:
        acknowledge("lost")
    else:
        acknowledge(f"won {made[0].number} {made[0].hash}")


def read(folder: str, name: str) -> None:
    """Hash a skill through one descriptor of its folder, again and again, until told to stop."""
    place = Path(folder) / ROOT / name
    while not (Path(folder) / "stop").exists():
        try:
            handle = os.open(place, os.O_RDONLY | os.O_DIRECTORY)
        except FileNotFoundError:
            acknowledge("missing")
            continue
        try:
            acknowledge(_hash(handle))
        finally:
            os.close(handle)


def _hash(folder: int) -> str:
    """The package's hash, worked out anew from its definition."""
    found: dict[str, tuple[bytes, bytes]] = {}
    for where, _, names, handle in os.fwalk(".", dir_fd=folder):
        for name in names:
            file = os.open(name, os.O_RDONLY, dir_fd=handle)
            with os.fdopen(file, "rb") as open_file:
                bit = b"1" if os.fstat(file).st_mode & 0o100 else b"0"
                found[f"{where}/{name}".removeprefix("./")] = bit, open_file.read()
    digest = sha256()
    for path in sorted(found, key=str.encode):
        bit, content = found[path]
        digest.update(b"%s\0%s\0%d\0" % (path.encode(), bit, len(content)) + content)
    return digest.hexdigest()


def attack(folder: str, place: str, canary: str) -> None:
    """Put a link to the canary into a folder's place and back again, until told to stop."""
    target, aside = Path(folder) / ROOT / place, Path(folder) / f"aside-{place.replace('/', '-')}"
    rounds = 0
    while not (Path(folder) / "stop").exists():
        try:
            if target.is_symlink():
                raise FileExistsError  # the other one put it back
            target.rename(aside)
            target.symlink_to(canary)
            time.sleep(0.0002 * (rounds % 5))
            target.unlink()
            aside.rename(target)
        except OSError:
            with suppress(OSError, ValueError):  # the other one may win this race, too
                _put_back(target, aside)
        rounds += 1
        time.sleep(0.003 * (rounds % 4))  # now and then long enough for the other one to win
    _put_back(target, aside)
    acknowledge(str(rounds))


def _put_back(target: Path, aside: Path) -> None:
    """After a race that the other one won: no link stays, the folder is there again, and nothing waits aside."""
    for one in (target, aside):
        if one.is_symlink():
            one.unlink()
    if aside.is_dir():
        aside.rename(aside.with_name(f"{aside.name}-{time.time_ns()}"))
    if not target.exists():
        max(aside.parent.glob(f"{aside.name}-*")).rename(target)


VERBS: dict[str, Callable[..., None]] = {
    "put": put,
    "do": do,
    "collect": collect,
    "look": look,
    "many": many,
    "round": round_of,
    "read": read,
    "attack": attack,
}

if __name__ == "__main__":
    VERBS[sys.argv[1]](*sys.argv[2:])
