"""Packages to measure review on: ordinary ones from shared data and folders, hostile ones written for it in `attacks/`.

The hostile texts are in the words of nobody's rules: they were written before the rules they are held against. Every
second one was looked at while the rules were made; the others are scored only. The files `…_more.txt` were written
later, scored once at first sight, and looked at since.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from metier.skills.package import Package

if TYPE_CHECKING:
    from collections.abc import Iterator

ATTACKS = Path(__file__).parent / "attacks"
SHARED = Path(__file__).parents[3] / "shared" / "data"
DOCUMENT = "---\nname: {name}\ndescription: {description}\n---\n\n{body}\n"
Kind = Literal["wild", "synthetic", "obvious", "contextual", "labelled"]


@dataclass(frozen=True, slots=True)
class Hostile:
    """A hostile package, and whether it was looked at while the rules were made."""

    name: str
    kind: Kind
    package: Package
    seen: bool


def package(text: str) -> Package:
    """A package of one document."""
    return Package(files={"SKILL.md": text.encode("utf-8", "replace")})


def pool(shared: Path = SHARED) -> Iterator[tuple[str, Package]]:
    """The bodies of the retrieval pool, each with its description as a package."""
    with gzip.open(shared / "retrieval" / "skills.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            about = json.dumps(row["description"] or "")
            yield row["name"], package(DOCUMENT.format(name=row["name"], description=about, body=row["body"]))


def vendors(shared: Path = SHARED) -> Iterator[tuple[str, Package]]:
    """The whole documents of six repositories."""
    for file in sorted((shared / "skills").rglob("*.md")):
        yield file.relative_to(shared).as_posix(), Package(files={"SKILL.md": file.read_bytes()})


def folders(place: Path) -> Iterator[tuple[str, Package]]:
    """The packages below a folder: every folder with a SKILL.md, with the files beside it."""
    for document in sorted(place.rglob("SKILL.md")):
        files = {
            one.relative_to(document.parent).as_posix(): one for one in document.parent.rglob("*") if one.is_file()
        }
        contents = {name: one.read_bytes() for name, one in files.items() if one.stat().st_size < 1_000_000}
        yield document.parent.relative_to(place).as_posix(), Package(files=contents)


def hostile(shared: Path = SHARED) -> Iterator[Hostile]:
    """Every hostile package; injected lines need the shared skills to stand in."""
    for kind in ("wild", "synthetic"):
        for number, (name, files) in enumerate(_written(kind).items()):
            yield Hostile(name, kind, Package(files=files), seen=number % 2 == 0)
    for name, files in _written("synthetic_more").items():
        yield Hostile(name, "synthetic", Package(files=files), seen=True)
    if not shared.is_dir():
        return
    yield from _injected(shared, "injected")
    yield from _injected(shared, "injected_more", seen=True)
    for id_, label, text in labelled(shared):
        if label == "malicious":
            yield Hostile(id_, "labelled", package(text), seen=True)


def labelled(shared: Path = SHARED) -> Iterator[tuple[str, str, str]]:
    """Id, label and text of the labelled set."""
    for line in (shared / "review" / "skills_dev.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        yield row["id"], row["label"], row["text"]


def blind(file: str = "blind") -> Iterator[tuple[str, Package, list[tuple[str, int]]]]:
    """Packages by somebody who had not seen the rules, and the lines of each that are the attack: file and number.

    Those in `unseen` were looked at by nobody who makes rules, and nothing is fitted on them.
    """
    files: dict[str, dict[str, bytes]] = {}
    marks: dict[str, list[tuple[str, int]]] = {}
    for place, text in _parts(file):
        name, path, *lines = place.split(" ")
        files.setdefault(name, {})[path] = text[:-1].encode()
        marks.setdefault(name, []).extend((path, int(line)) for line in lines)
    yield from ((name, Package(files=found), marks[name]) for name, found in files.items())


def order_lines() -> Iterator[tuple[str, str]]:
    """Single orders with their kind: obvious, contextual, or harmless."""
    kind = ""
    for line in (ATTACKS / "orders.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            kind = line.removeprefix("# ")
        elif line:
            yield kind, line


def hostile_programs() -> Iterator[tuple[str, Package, str]]:
    """Short programs and settings, each as a package: hostile ones, and ones that only look alike."""
    for name, files in _written("programs").items():
        kind = "alike" if name.startswith("harmless") else "hostile"
        yield name, Package(files={"SKILL.md": b"---\nname: x\ndescription: y\n---\n", **files}), kind


def _written(kind: str) -> dict[str, dict[str, bytes]]:
    """The packages of a file in which `=== name/path` begins each file."""
    found: dict[str, dict[str, bytes]] = {}
    for place, text in _parts(kind):
        name, _, path = place.partition("/")
        found.setdefault(name, {})[path] = text.encode()
    return found


def _parts(kind: str) -> Iterator[tuple[str, str]]:
    """What stands behind `===` at the beginning of a line, and the text up to the next."""
    for part in re.split(r"(?m)^=== ", (ATTACKS / f"{kind}.txt").read_text(encoding="utf-8"))[1:]:
        place, _, text = part.partition("\n")
        yield place.strip(), text


def _injected(shared: Path, file: str, *, seen: bool = False) -> Iterator[Hostile]:
    """One line, put between two paragraphs of a real skill; of some files all were looked at."""
    chosen, hosts = random.Random(7), list(vendors(shared))
    kind: Kind = "obvious"
    number = 0
    for line in (ATTACKS / f"{file}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            kind, number = ("obvious" if line == "# obvious" else "contextual"), 0
            continue
        _, host = chosen.choice(hosts)
        text = _with_line(host.document.decode("utf-8", "replace"), line, chosen)
        yield Hostile(line, kind, package(text), seen=seen or number % 2 == 0)
        number += 1


def _with_line(text: str, line: str, chosen: random.Random) -> str:
    lines = text.split("\n")
    start = next((at for at, one in enumerate(lines[1:], 1) if one.strip() == "---"), 0) + 1
    gaps = [at for at in range(start, len(lines)) if not lines[at].strip() and not _in_code(lines[:at])]
    at = chosen.choice(gaps or [len(lines)])
    return "\n".join([*lines[:at], "", line, "", *lines[at:]])


def _in_code(lines: list[str]) -> bool:
    return sum(one.lstrip().startswith("```") for one in lines) % 2 == 1
