"""What an evaluation reads: labelled queries, and skills from a folder of packages or from JSON, a skill a line."""

from __future__ import annotations

import gzip
import json
import tomllib
import zlib
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, cast

from metier.errors import ConfigError, InputError
from metier.events import Advanced, Began, Ended, Noted
from metier.formats.strict_json import clean
from metier.selection.assembly.assemble import body_of
from metier.selection.evaluation import samples
from metier.selection.evaluation.labelled_queries import read_queries
from metier.selection.types import Selectable

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from metier.events import Event
    from metier.selection.choosing.choose import Basis
    from metier.selection.evaluation.labelled_queries import Query
    from metier.skills.package import Package

SAID = 20
"""Bad lines of a file that are named one by one."""
STEP = 500
"""Packages read between two events."""
COMPARED = ("top_k", "max_detailed")
"""Settings that make a difference to what is measured here."""
ROW = '{"name": "…", "description": "…", "body": "…"}'


def queries_from(file: str) -> Generator[Event, None, tuple[Query, ...]]:
    """The labelled queries of a file, else the shipped ones; every line that is none is named, and that is the end."""
    found = read_queries(_lines(file) if file else samples.lines(samples.QUERIES))
    yield from _refused(file, [(one.line, one.reason) for one in found.bad], "a query")
    if not found.queries:
        raise InputError(f'{file} holds no query. Write one a line: {{"query": "…", "gold": ["skill"]}}')
    return found.queries


def skills_from(path: str) -> Generator[Event, None, tuple[Selectable, ...]]:
    """The skills of a folder of packages, or of a file of JSON lines, packed or not."""
    place = Path(path).expanduser()
    if place.is_dir():
        return (yield from _packages(place))
    if not place.name.endswith((".jsonl", ".jsonl.gz")):
        raise InputError(f"{path} is neither a folder of skills nor a .jsonl or .jsonl.gz file.")
    return (yield from _rows(path, _lines(path)))


def shipped_skills() -> Generator[Event, None, tuple[Selectable, ...]]:
    """The sample skills that the shipped queries are about."""
    return (yield from _rows(samples.SKILLS, samples.lines(samples.SKILLS)))


def skills_once(skills: Sequence[Selectable]) -> tuple[Selectable, ...]:
    """Every name once, the first of each."""
    found: dict[str, Selectable] = {}
    for skill in skills:
        found.setdefault(skill.name, skill)
    return tuple(found.values())


def package_from(folder: Path) -> Selectable:
    """The skill in a folder as selection sees it."""
    from metier.library.disk.packages import read_package

    return selectable_of(read_package(folder), folder.name)


def selectable_of(package: Package, name: str) -> Selectable:
    """A package as selection sees it; `name`: what it goes by if it does not say."""
    return Selectable(
        name=package.name or name,
        description=package.description,
        body=body_of(package.document),
        content_hash=package.hash(),
    )


def basis_from(file: str, basis: Basis) -> Basis:
    """The same basis under other settings: `top_k`, `max_detailed` and so on, and the `threshold` of the score."""
    try:
        given = tomllib.loads("\n".join(_lines(file)))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{file} is no TOML: {error}. Write lines such as top_k = 20.") from None
    settings, calibration = basis.settings, basis.calibration
    for key, value in given.items():
        name = key.removeprefix("select_")
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ConfigError(f"{file}: {key}: must be a number.")
        if name == "threshold":
            calibration = replace(calibration, threshold=float(value))
        elif name in COMPARED:
            settings = replace(settings, **{name: value})
        else:
            raise ConfigError(f"{file}: {key}: unknown; known are {', '.join(COMPARED)}, threshold.")
    return replace(basis, settings=settings, calibration=calibration)


def _packages(place: Path) -> Generator[Event, None, tuple[Selectable, ...]]:
    from metier.library.disk.packages import packages_in

    folders = packages_in(place.absolute())
    yield Began(stage="read", total=len(folders))
    found: list[Selectable] = []
    for folder in folders:
        try:
            found.append(package_from(folder))
        except InputError as error:
            yield Noted(stage="read", text=f"left out: {error}", level="warning")
        if len(found) % STEP == 0:
            yield Advanced(stage="read", done=len(found), total=len(folders))
    yield Ended(stage="read", text=f"{len(found)} skills")
    return skills_once(found)


def _rows(file: str, lines: Sequence[str]) -> Generator[Event, None, tuple[Selectable, ...]]:
    """The skills of JSON lines."""
    skills: list[Selectable] = []
    bad: list[tuple[int, str]] = []
    for number, line in enumerate(lines, 1):
        found = _row(line) if line.strip() else None
        if isinstance(found, str):
            bad.append((number, found))
        elif found:
            skills.append(found)
    yield from _refused(file, bad, "a skill")
    return skills_once(skills)


def _row(line: str) -> Selectable | str:
    """The skill of a line, or what is wrong with it."""
    try:
        value: object = json.loads(line)
    except (ValueError, RecursionError):
        return f"not JSON; write one object a line: {ROW}"
    if not isinstance(value, dict):
        return f"not an object; write {ROW}"
    fields = cast("dict[str, object]", value)
    texts = {key: fields.get(key) or "" for key in ("name", "description", "body")}
    for key, text in texts.items():
        if not isinstance(text, str):
            return f"{key}: not a text; write one"
    name, description, body = (clean(str(text)) for text in texts.values())
    if not name.strip():
        return "name: missing; write the skill's name"
    digest = sha256(f"{name}\0{description}\0{body}".encode()).hexdigest()
    return Selectable(name=name, description=description, body=body, content_hash=digest)


def _refused(file: str, bad: Sequence[tuple[int, str]], what: str) -> Generator[Event, None, None]:
    """Say of every bad line what is wrong; then there is no going on."""
    for line, reason in bad[:SAID]:
        yield Noted(stage="read", text=f"metier: {file}:{line} is not {what}: {reason}", level="error")
    if bad:
        more = f" ({len(bad) - SAID} more are not named)" if len(bad) > SAID else ""
        lines = "1 line is" if len(bad) == 1 else f"{len(bad):,} lines are"
        raise InputError(f"{file}: {lines} not {what}{more}. Nothing was measured; mend the file and try again.")


def _lines(file: str) -> list[str]:
    path = Path(file).expanduser()
    try:
        data = path.read_bytes()
        if path.name.endswith(".gz"):
            data = gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{file} cannot be read: {getattr(error, 'strerror', None) or error}.") from None
    return data.decode("utf-8", "replace").removeprefix("\ufeff").split("\n")
