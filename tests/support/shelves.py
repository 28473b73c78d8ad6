"""What the tests of the library share: a store with skills, changes of them, and what must always hold."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from metier.library.disk.packages import read_package
from metier.library.versions.apply import SkillChange, apply_changes
from metier.library.versions.history import VersionEntry, read_entry
from metier.library.versions.version_store import VersionStore
from metier.skills.package import Package
from metier.types.skills import Version

if TYPE_CHECKING:
    from collections.abc import Generator

MEMORY = Path("/dev/shm")
HEAD = "---\nname: {}\ndescription: Does {}. Use when it is to be done.\n---\n\n# {}\n\n{}\n"


def package(name: str, text: str = "first", **more: bytes) -> Package:
    """A package with a document and, where given, other files: `run` is executable."""
    files = {"SKILL.md": HEAD.format(name, name, name, text).encode()} | {f"scripts/{key}": more[key] for key in more}
    return Package(files=files, executable=frozenset({"scripts/run"} & files.keys()))


@dataclass(frozen=True, kw_only=True)
class Bench:
    """A folder with a root and a store."""

    folder: Path

    @property
    def root(self) -> Path:
        return self.folder / ".agents" / "skills"

    @property
    def version_store(self) -> VersionStore:
        """A new one at each call, as every process has its own."""
        return VersionStore(state=self.folder / "state", base=self.folder)

    def change(self, name: str, to: Package, base: str = "", **said: object) -> SkillChange:
        version = Version(skill=name, root="", number=0, hash="", **said)  # type: ignore[arg-type]
        return SkillChange(root=self.root, package=to, base=base, version=version)

    def apply(self, name: str, to: Package, base: str | None = None, **said: object) -> Version:
        before = self.hash(name) if base is None else base
        return apply_changes(self.version_store, [self.change(name, to, before, **said)])[0]

    def hash(self, name: str) -> str:
        """Of what is there; empty when nothing is."""
        folder = self.root / name
        return read_package(folder).hash() if folder.exists() else ""

    def versions(self, name: str) -> tuple[Version, ...]:
        past = self.version_store.histories.history_of(".agents/skills", name)
        assert not past.damaged
        return past.versions

    def bytes_of(self, version: Version) -> Package:
        found = self.version_store.objects.load(version.files)
        assert found.hash() == version.hash
        return found

    def check_whole(self, *, everything: bool = True) -> None:
        """No change is half done, nothing is left over, and every version (or each skill's last two) can be had."""
        assert not list(self.version_store.journal.iterdir())
        assert leftovers(self.version_store.staging) == []
        for folder in self.version_store.histories.folder.iterdir():
            files = sorted(folder.iterdir(), key=lambda file: int(file.stem))
            for file in files if everything else files[-2:]:
                found = read_entry(file)
                assert isinstance(found, VersionEntry)
                self.bytes_of(found.version)


@contextmanager
def in_memory(otherwise: Path) -> Generator[Path]:
    """A folder where making things last costs nothing, if there is such a place."""
    if not os.access(MEMORY, os.W_OK):
        yield otherwise
        return
    folder = Path(tempfile.mkdtemp(dir=MEMORY))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def on_another_disk(than: Path) -> Generator[Path]:
    """A folder on another disk than a file is on; without one the test is skipped."""
    for place in (MEMORY, Path("/tmp"), Path("/var/tmp"), Path(__file__).parent):
        if os.access(place, os.W_OK) and place.stat().st_dev != than.stat().st_dev:
            with tempfile.TemporaryDirectory(dir=place, prefix="other-disk") as folder:
                yield Path(folder)
            return
    pytest.skip("there is only one disk here")


def leftovers(staging: Path) -> list[str]:
    """What nobody is writing any more; folders that were live a moment ago may stay."""
    return sorted(file.name for file in staging.iterdir() if not file.name.startswith("old-"))


def snapshot(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    """Everything below a folder: which file it is, when it changed, what it holds."""
    found: dict[str, tuple[int, int, bytes]] = {}
    for path in sorted(folder.rglob("*")):
        state = path.lstat()
        found[str(path.relative_to(folder))] = (
            state.st_ino,
            state.st_mtime_ns,
            path.read_bytes() if path.is_file() else b"",
        )
    return found
