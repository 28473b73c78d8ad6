"""The catalogue: every skill with what its frontmatter says, who it is for, and its status."""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from metier.formats.strict_json import clean
from metier.selection.assembly.assemble import body_of
from metier.selection.candidates.eligibility import LeftOut
from metier.selection.types import LEGACY, Selectable
from metier.store.tables.selection.skill_index import ContentKey, SkillSummary, SkillText

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from metier.library.listing import Skill
    from metier.skills.document.yaml_values import Value
    from metier.skills.package import Package

TOOL = re.compile(r"[^\s,(]+(?:\([^)]*\))?")
TRUE = ("true", "yes", "on", "1")
MOST = 64
"""Tools, agents, paths or workspaces of one skill that are read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueEntry:
    """A skill in use, and where its text is stored; the text is loaded only for candidates."""

    skill: Selectable
    content: ContentKey
    document: str
    """The path of its SKILL.md."""
    stamp: str
    """The state of its folder when it was read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue:
    """All skills: those in use by name, those that are shadowed or retired, those that cannot or may not be read."""

    in_use: Mapping[str, CatalogueEntry]
    others: tuple[Selectable, ...] = ()
    unread: tuple[LeftOut, ...] = ()
    waiting: tuple[str, ...] = ()
    """Those of the project that wait for a yes, by name."""
    version: str = ""
    """A hash of all of it: it changes when the library changes."""

    @property
    def skills(self) -> tuple[Selectable, ...]:
        """All skills that can be read, without their bodies."""
        return (*(one.skill for one in self.in_use.values()), *self.others)


def is_in_use(skill: Skill) -> bool:
    """Whether an agent could get this skill: it is there, readable, not retired, and not shadowed."""
    return bool(skill.hash) and skill.is_usable and not _is_out(skill)


def content_of(skill: Skill) -> ContentKey:
    """The key that a skill's text is stored under."""
    return ContentKey(skill.hash, skill.name)


def text_of(package: Package, name: str) -> SkillText:
    """What selection reads from a package's document."""
    front = package.frontmatter
    meta = front.get("metadata")
    own: Mapping[str, Value] = meta if isinstance(meta, dict) else {}
    document = package.skill_file or "SKILL.md"
    about = SkillSummary(
        document=document,
        tools=_tools(front.get("allowed-tools")),
        agents=_texts(own.get("metier-agents")),
        paths=_texts(own.get("metier-paths")),
        workspaces=_texts(own.get("metier-workspaces")),
        always=str(own.get("metier-always") or "").strip().lower() in TRUE,
        files=tuple(sorted(path for path in package.files if path != document)),
    )
    body = body_of(package.document)
    description = clean(package.description)
    return SkillText(content=ContentKey(package.hash(), name), description=description, said=about, body=clean(body))


def catalogue_of(skills: Iterable[Skill], texts: Mapping[ContentKey, SkillText]) -> Catalogue:
    """Make the catalogue of these skills; a skill without a text cannot be selected and is listed with the reason."""
    skills = list(skills)
    waiting = tuple(sorted({one.name for one in skills if one.waits and not one.problem}))
    listed: dict[str, CatalogueEntry] = {}
    others: list[Selectable] = []
    unread: list[LeftOut] = []
    for one in skills:
        text = texts.get(content_of(one))
        if one.shadowed_by or _is_out(one):
            others.append(Selectable(name=one.name, status=one.status, shadowed=bool(one.shadowed_by)))
        elif one.problem or one.held or text is None:
            unread.append(LeftOut(name=one.name, reason=one.problem or one.held or "it cannot be read"))
        else:
            document = f"{one.folder}/{text.said.document}"
            listed[one.name] = CatalogueEntry(
                skill=_selectable(one, text), content=text.content, document=document, stamp=one.stamp
            )
    return Catalogue(
        in_use=listed,
        others=tuple(others),
        unread=tuple(unread),
        waiting=waiting,
        version=_version(listed.values(), others),
    )


def _selectable(skill: Skill, text: SkillText) -> Selectable:
    about, known = text.said, skill.version > 0
    return Selectable(
        name=skill.name,
        description=text.description,
        version=str(skill.version) if known else LEGACY,
        content_hash=skill.hash if known else "",
        status=skill.status,
        agents=about.agents,
        paths=about.paths,
        workspaces=about.workspaces,
        pinned=about.always,
        tool_hints=about.tools,
        files=about.files,
        folder=str(skill.folder),
    )


def _is_out(skill: Skill) -> bool:
    return skill.status in ("archived", "deleted")


def _version(listed: Iterable[CatalogueEntry], others: Iterable[Selectable]) -> str:
    digest = sha256()
    parts = [f"{one.content.name}\0{one.content.hash}\0{one.skill.version}\0{one.skill.status}" for one in listed]
    for part in sorted((*parts, *(f"{one.name}\0{one.status}\0{one.shadowed}" for one in others))):
        digest.update(part.encode("utf-8", "surrogateescape") + b"\n")
    return digest.hexdigest()[:32]


def _tools(value: Value) -> tuple[str, ...]:
    """Tools separated by spaces or commas, with patterns in parentheses, as the standard writes them."""
    if isinstance(value, list):
        return _texts(value)
    return tuple(dict.fromkeys(TOOL.findall(clean(value))))[:MOST] if isinstance(value, str) else ()


def _texts(value: Value) -> tuple[str, ...]:
    """A list of texts, or a text with commas."""
    parts = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else ()
    return tuple(dict.fromkeys(clean(part).strip() for part in parts if isinstance(part, str) and part.strip()))[:MOST]
