"""The rest of PicoClaw's evolution state folder: drafts, profiles and backups of skills, as values."""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha1
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

from metier.capture.reading.fields import Map, decode, elements, is_map, items, moment, number, text
from metier.errors import UnreadableError
from metier.foreign_files import read_foreign
from metier.types import SkillGuidance

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from metier.types import DraftKind

LIMIT, SECONDS = 16 * 1024 * 1024, 30.0
"""Bytes of a file that is read, and seconds for that."""
_KINDS = ("create", "append", "replace", "merge")
_STAMP = re.compile(r"(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)\.(\d{6})\d*")


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignDraft:
    """A draft as PicoClaw keeps it."""

    id: str
    target: str
    kind: DraftKind
    summary: str
    body: str
    status: str
    guidance: SkillGuidance


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignProfile:
    """How a skill did in PicoClaw."""

    skill: str
    origin: Literal["manual", "learned"]
    uses: int
    last_used: str
    retention: float
    guidance: SkillGuidance
    changes: tuple[tuple[str, str], ...] = ()
    """Moment and summary of each entry of its history, in order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillBackup:
    """A document that PicoClaw put aside before it changed a skill."""

    skill: str
    moment: str
    document: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class EvolutionState:
    """What a state folder holds besides records, and the files that could not be read, with the reason."""

    drafts: tuple[ForeignDraft, ...] = ()
    profiles: tuple[ForeignProfile, ...] = ()
    backups: tuple[SkillBackup, ...] = ()
    """The oldest first."""
    unread: tuple[tuple[str, str], ...] = ()


def read_state(folder: Path) -> EvolutionState:
    """The drafts, profiles and backups of a state folder; what cannot be read is named."""
    unread: list[tuple[str, str]] = []
    drafts = [
        one
        for value in elements(_json(folder / "skill-drafts.json", folder, unread))
        if is_map(value) and (one := _draft(value))
    ]
    places = sorted(_scoped(folder / "profiles", "*.json", folder))
    values = (_json(file, folder, unread) for file in places)
    profiles = [one for value in values if is_map(value) and (one := _profile(value))]
    backups = [
        one for file in _scoped(folder / "backups", "*/*/SKILL.md", folder) if (one := _backup(file, folder, unread))
    ]
    return EvolutionState(
        drafts=tuple({(one.id, one.target): one for one in drafts}.values()),
        profiles=tuple({one.skill: one for one in profiles}.values()),
        backups=tuple(sorted(backups, key=lambda one: (one.moment, one.skill))),
        unread=tuple(unread),
    )


def state_folders(paths: Iterable[str]) -> list[Path]:
    """The evolution state folders that some paths name: themselves, or in a workspace or home of PicoClaw."""
    found: dict[Path, None] = {}
    for path in paths:
        given = Path(path).expanduser().absolute()
        for place in (given, given / "state/evolution", given / "workspace/state/evolution"):
            if any((place / name).exists() for name in ("skill-drafts.json", "profiles", "backups")):
                found[place] = None
    return list(found)


def _scoped(folder: Path, pattern: str, state: Path) -> Iterable[Path]:
    """The files of this workspace: those in its own folder where there is one, else all."""
    workspace = str(state.parent.parent)
    mark = sha1(workspace.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()[:12]
    own = [one for one in folder.glob(f"*-{mark}") if one.is_dir()]
    places = own or [folder, *(one for one in folder.glob("*") if one.is_dir())]
    return [file for place in places for file in place.glob(pattern) if file.is_file() and not file.is_symlink()]


def _read(file: Path, folder: Path, unread: list[tuple[str, str]]) -> bytes:
    try:
        with read_foreign(file, folder, LIMIT, SECONDS) as stream:
            return stream.read()
    except UnreadableError as error:
        unread += [(str(file), error.reason)] if error.state != "gone" else []
        return b""


def _json(file: Path, folder: Path, unread: list[tuple[str, str]]) -> object:
    content = _read(file, folder, unread)
    if not content.strip():
        return None
    try:
        return decode(content)
    except ValueError as error:
        unread.append((str(file), str(error)))
        return None


def _draft(value: Map) -> ForeignDraft | None:
    kind, target = text(value, "change_kind"), text(value, "target_skill_name").strip()
    if kind not in _KINDS or not target:
        return None
    return ForeignDraft(
        id=text(value, "id"),
        target=target,
        kind=kind,
        summary=text(value, "human_summary").strip() or target,
        body=text(value, "body_or_patch"),
        status=text(value, "status"),
        guidance=_guidance(value),
    )


def _profile(value: Map) -> ForeignProfile | None:
    name = text(value, "skill_name").strip()
    if not name:
        return None
    retention = value.get("retention_score")
    known = isinstance(retention, int | float) and not isinstance(retention, bool)
    return ForeignProfile(
        skill=name,
        origin="manual" if text(value, "origin") == "manual" else "learned",
        uses=number(value, "use_count"),
        last_used=_real_moment(moment(value, "last_used_at")),
        retention=min(1.0, max(0.0, float(cast("float", retention)))) if known else 0.2,
        guidance=_guidance(value),
        changes=tuple(_changes(value)),
    )


def _changes(value: Map) -> Iterator[tuple[str, str]]:
    for entry in items(value, "version_history"):
        when = _real_moment(moment(entry, "timestamp"))
        if when:
            yield when, text(entry, "summary").strip() or text(entry, "action")


def _real_moment(value: str | None) -> str:
    """A moment; Go writes the year 1 where there is none."""
    return "" if value is None or value.startswith("0001-") else value


def _backup(file: Path, folder: Path, unread: list[tuple[str, str]]) -> SkillBackup | None:
    found = _STAMP.fullmatch(file.parent.name)
    content = _read(file, folder, unread) if found else b""
    if not found or not content:
        return None
    year, month, day, hour, minute, second, micro = found.groups()
    when = f"{year}-{month}-{day}T{hour}:{minute}:{second}.{micro}Z"
    return SkillBackup(skill=file.parent.parent.name, moment=when, document=content)


def _guidance(value: Map) -> SkillGuidance:
    return SkillGuidance(
        use_cases=_lines(value, "intended_use_cases"),
        entry_path=_lines(value, "preferred_entry_path"),
        avoid=_lines(value, "avoid_patterns"),
    )


def _lines(value: Map, key: str) -> tuple[str, ...]:
    return tuple(" ".join(one.split()) for one in elements(value.get(key)) if isinstance(one, str) and one.strip())
