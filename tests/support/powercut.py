"""A disk that loses its power: what a traced process wrote, and every state in which that could leave the folder.

The rules are stricter than those of any common file system. Bytes last once their file was synced. A name that was
given or taken lasts once its folder was synced; a rename is in both folders or in neither. In one folder names change
in order. All that was not synced may be there or not, each folder by itself.
"""

from __future__ import annotations

import re
import stat
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

CALLS = "openat,write,fsync,sync,mkdir,mkdirat,rename,renameat,renameat2,unlink,unlinkat,rmdir,fchmod"
_LINE = re.compile(r"^\d+ +(\w+)\((.*)\) += (\d+)")
_WORD = re.compile(r'(?:\d+|AT_FDCWD)<([^>]*)>|"([^"]*)"|([A-Z_|0-9]+)')
Name = tuple[int, str]
"""A folder's number and a name in it."""


def traced(command: list[str], trace: Path) -> list[str]:
    """The command, its calls written down with all they say."""
    told = ["-f", "-qq", "-y", "-xx", "-s", "10000000", "-e", f"trace=?{CALLS.replace(',', ',?')}", "-e", "signal=none"]
    return ["strace", *told, "-o", str(trace), "--", *command]


@dataclass
class Node:
    """A file or a folder, whatever it is called."""

    mode: int
    content: bytes = b""
    lasting: bytes = b""
    """What of it is left after a power cut."""
    names: dict[str, int] | None = None


@dataclass
class Step:
    """Names that change at once."""

    names: dict[Name, int | None]
    lasts: bool = False

    @property
    def folders(self) -> set[int]:
        return {folder for folder, _ in self.names}


@dataclass
class Disk:
    """All that is below a folder, and all that happened to it."""

    top: Path
    nodes: dict[int, Node] = field(default_factory=dict[int, Node])
    beginning: dict[Name, int] = field(default_factory=dict[Name, int])
    steps: list[Step] = field(default_factory=list[Step])
    number: count[int] = field(default_factory=count)

    def load(self, folder: Path) -> int:
        """Take over what is there before anything happens."""
        own = next(self.number)
        self.nodes[own] = Node(mode=stat.S_IMODE(folder.stat().st_mode), names={})
        for path in sorted(folder.iterdir()):
            if path.is_dir():
                inner = self.load(path)
            else:
                inner, content = next(self.number), path.read_bytes()
                mode = stat.S_IMODE(path.stat().st_mode)
                self.nodes[inner] = Node(mode=mode, content=content, lasting=content)
            self._names(own)[path.name] = inner
            self.beginning[own, path.name] = inner
        return own

    def play(self, trace: str, without: int = 0) -> Iterator[str]:
        """Let what was traced happen, call by call; without one of the syncs, if that is asked for."""
        syncs = 0
        for call, words in _calls(trace):
            places = [self._where(one) for one in _paths(call, words)]
            if not all(places):
                continue
            if call == "sync":
                self._sync_all()
                continue
            syncs += call == "fsync"
            if call == "fsync" and syncs == without:
                continue
            if self._happened(call, [one for one in places if one], words):
                yield call

    def _happened(self, call: str, places: list[Name], words: list[tuple[str, str, str]]) -> bool:
        """Do a call; False: it changed nothing."""
        own = places[0]
        match call:
            case "openat":
                if not any("O_CREAT" in flags for _, _, flags in words) or own[1] in self._names(own[0]):
                    return False
                self._change({own: self._new(Node(mode=_mode(words)))})
            case "mkdir" | "mkdirat":
                self._change({own: self._new(Node(mode=_mode(words), names={}))})
            case "write":
                self._node(own).content += _decoded(words[1][1])
            case "fchmod":
                self._node(own).mode = _mode(words)
            case "fsync":
                self._sync(self._names(own[0])[own[1]])
            case "unlink" | "unlinkat" | "rmdir":
                self._change({own: None})
            case _:
                self._rename(own, places[1], swap=any("EXCHANGE" in flags for _, _, flags in words))
        return True

    def _rename(self, one: Name, other: Name, *, swap: bool) -> None:
        moved, there = (self._names(folder).get(name) for folder, name in (one, other))
        self._change({one: there if swap else None, other: moved})

    def _sync(self, number: int) -> None:
        node = self.nodes[number]
        if node.names is None:
            node.lasting = node.content
            return
        known = {number}
        for step in reversed(self.steps):
            if step.folders & known:
                step.lasts = True
                known |= step.folders

    def _sync_all(self) -> None:
        for node in self.nodes.values():
            node.lasting = node.content
        for step in self.steps:
            step.lasts = True

    def _change(self, names: dict[Name, int | None]) -> None:
        self.steps.append(Step(names=names))
        for (folder, name), number in names.items():
            if number is None:
                del self._names(folder)[name]
            else:
                self._names(folder)[name] = number

    def _new(self, node: Node) -> int:
        number = next(self.number)
        self.nodes[number] = node
        return number

    def _node(self, place: Name) -> Node:
        return self.nodes[self._names(place[0])[place[1]]]

    def _names(self, folder: int) -> dict[str, int]:
        names = self.nodes[folder].names
        assert names is not None
        return names

    def _where(self, path: str) -> Name | None:
        """The folder and the name that a path means now; None: it lies elsewhere."""
        if not path.startswith(f"{self.top}/"):
            return None
        *above, name = path.removeprefix(f"{self.top}/").split("/")
        folder = 0
        for part in above:
            folder = self._names(folder)[part]
        return folder, name

    def cuts(self) -> Iterator[tuple[str, set[int]]]:
        """The folders whose names that were not synced are lost: none, all, each one alone, all but each."""
        open_steps = [step for step in self.steps if not step.lasts]
        folders = sorted({folder for step in open_steps for folder in step.folders})
        yield "no name lost", set()
        if folders:
            yield "all names lost", set(folders)
        for one in folders if len(folders) > 1 else ():
            yield f"the names of {one} lost", {one}
            yield f"all but the names of {one} lost", {*folders} - {one}

    def leave(self, folder: Path, lost: Iterable[int], *, bytes_too: bool) -> None:
        """Write out what is left after a power cut at this moment."""
        stopped, names = set(lost), dict[Name, int | None](self.beginning)
        for step in self.steps:
            if step.lasts or not step.folders & stopped:
                names |= step.names
            else:
                stopped |= step.folders
        inside: dict[int, dict[str, int]] = {}
        for (place, name), number in names.items():
            if number is not None:
                inside.setdefault(place, {})[name] = number
        self._write(folder, 0, inside, bytes_too=bytes_too)

    def _write(self, path: Path, number: int, inside: dict[int, dict[str, int]], *, bytes_too: bool) -> None:
        node = self.nodes[number]
        if node.names is None:
            path.write_bytes(node.lasting if bytes_too else node.content)
        else:
            path.mkdir()
            for name, inner in inside.get(number, {}).items():
                self._write(path / name, inner, inside, bytes_too=bytes_too)
        path.chmod(node.mode)


def _calls(trace: str) -> Iterator[tuple[str, list[tuple[str, str, str]]]]:
    for line in trace.splitlines():
        if found := _LINE.match(line):
            yield found[1], _WORD.findall(found[2])


def _paths(call: str, words: list[tuple[str, str, str]]) -> list[str]:
    """The paths that a call is about, whole."""
    texts = [(_decoded(at).decode(errors="replace"), _decoded(said).decode(errors="replace")) for at, said, _ in words]
    if call in ("write", "fsync", "fchmod"):
        return [texts[0][0]]
    found: list[str] = []
    above = ""
    for at, said in texts:
        if said:
            found.append(said if said.startswith("/") else f"{above}/{said}")
        above = at or above
    return found


def _decoded(text: str) -> bytes:
    return bytes.fromhex(text.replace("\\x", ""))


def _mode(words: list[tuple[str, str, str]]) -> int:
    return int(words[-1][2], 8) & ~0o022
