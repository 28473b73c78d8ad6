"""The manifest: everything that connecting wrote on this machine, so that exactly that can be undone."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, assert_never, cast

from metier.agents.changes import (
    Written,
    WrittenByPrograms,
    WrittenFile,
    WrittenFolder,
    WrittenHooks,
    WrittenLink,
    WrittenRemoval,
    WrittenServer,
    replace_file,
)
from metier.errors import RefusedError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """Something that was written, and for which agent; empty: for all of them."""

    agent: str
    written: Written


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What was written, and the workspaces for whose sake it was."""

    entries: tuple[Entry, ...] = ()
    workspaces: tuple[str, ...] = ()
    """Folders; an empty text stands for `metier connect` itself, which no workspace asked for."""

    def with_entries(self, entries: Iterable[Entry]) -> Manifest:
        """The manifest with further entries; one of the same path replaces the earlier one."""
        known = {_key(one): one for one in self.entries} | {_key(one): one for one in entries}
        return replace(self, entries=tuple(known.values()))

    def without(self, gone: Collection[Entry]) -> Manifest:
        """The manifest without some entries."""
        return replace(self, entries=tuple(one for one in self.entries if one not in gone))

    def written_at(self, path: Path) -> Written | None:
        """What was written at a path."""
        here = (one.written for one in self.entries if one.written.path == path)
        return next((one for one in here if not isinstance(one, WrittenRemoval)), None)

    @property
    def agents(self) -> tuple[str, ...]:
        """The connected agents."""
        return tuple(dict.fromkeys(one.agent for one in self.entries if one.agent))


def _key(entry: Entry) -> tuple[str, Path, type[Written]]:
    return entry.agent, entry.written.path, type(entry.written)


def read_manifest(file: Path) -> Manifest:
    """The manifest of this machine; an empty one if nothing was connected."""
    try:
        document = json.loads(file.read_text(encoding="utf-8"))
        return Manifest(
            entries=tuple(_entry(row) for row in document["entries"]), workspaces=tuple(document["workspaces"])
        )
    except (FileNotFoundError, NotADirectoryError):
        return Manifest()
    except (OSError, ValueError, KeyError, TypeError):
        raise RefusedError(
            f"{file} cannot be read, so Metier does not know what it wrote. Move it away, then connect again."
        ) from None


def write_manifest(file: Path, manifest: Manifest) -> None:
    """Keep the manifest; an empty one is no file."""
    try:
        if not manifest.entries:
            file.unlink(missing_ok=True)
            return
        rows = [{"agent": one.agent} | _row(one.written) for one in manifest.entries]
        document = {"version": VERSION, "workspaces": list(manifest.workspaces), "entries": rows}
        file.parent.mkdir(parents=True, exist_ok=True)
        replace_file(file, (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode())
    except OSError as error:
        raise RefusedError(f"{file} cannot be written: {error.strerror}.") from None


def _row(written: Written) -> dict[str, Any]:
    match written:
        case WrittenFile():
            return {"kind": "file", "path": str(written.path), "hash": written.hash}
        case WrittenLink():
            return {"kind": "link", "path": str(written.path), "target": str(written.target)}
        case WrittenFolder():
            return {"kind": "folder", "path": str(written.path)}
        case WrittenHooks():
            row = {"kind": "hooks", "path": str(written.path), "created": written.created}
            return row | {"pieces": list(written.pieces), "groups": dict(written.groups)}
        case WrittenServer():
            row = {"kind": "server", "path": str(written.path), "created": written.created}
            return row | {"name": written.name, "piece": written.piece}
        case WrittenRemoval():
            row = {"kind": "removal", "path": str(written.path), "hash": written.hash}
            return row | {"before": written.before}
        case WrittenByPrograms():
            undo = [list(one) for one in written.undo]
            row = {"kind": "programs", "path": str(written.path), "hash": written.hash}
            return row | {"before": written.before, "undo": undo}
        case _:
            assert_never(written)


def _by_programs(path: Path, row: dict[str, Any]) -> WrittenByPrograms:
    undo = tuple(tuple(str(word) for word in command) for command in row["undo"])
    before = None if row["before"] is None else str(row["before"])
    return WrittenByPrograms(path=path, before=before, hash=str(row["hash"]), undo=undo)


def _entry(row: dict[str, Any]) -> Entry:
    path = Path(row["path"])
    written: Written
    match row["kind"]:
        case "file":
            written = WrittenFile(path=path, hash=str(row["hash"]))
        case "link":
            written = WrittenLink(path=path, target=Path(row["target"]))
        case "folder":
            written = WrittenFolder(path=path)
        case "hooks":
            groups = cast("dict[str, Any]", row["groups"])
            pieces = tuple(str(piece) for piece in row["pieces"])
            written = WrittenHooks(path=path, created=str(row["created"]), pieces=pieces, groups=groups)
        case "server":
            texts = {name: str(row[name]) for name in ("created", "name", "piece")}
            written = WrittenServer(path=path, **texts)
        case "removal":
            written = WrittenRemoval(path=path, before=str(row["before"]), hash=str(row["hash"]))
        case "programs":
            written = _by_programs(path, row)
        case kind:
            raise ValueError(kind)
    return Entry(agent=str(row["agent"]), written=written)
