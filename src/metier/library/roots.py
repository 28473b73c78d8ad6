"""The roots of a library: the folders in which agents look for skills, and which one wins when names are the same."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from metier.config import Order  # noqa: TC001 - read at run time
from metier.errors import InputError, RefusedError
from metier.folders import first_link, place_below
from metier.formats.strict_json import clean
from metier.hooks.stamp import fingerprint
from metier.library.disk.packages import read_package, skills_below
from metier.skills.names import lookalike_key
from metier.skills.validation import validate
from metier.types.skills import Glance

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from metier.skills.document.frontmatter import Frontmatter
    from metier.skills.package import Package

Level = Literal["project", "user", "system"]
AGENTS = ".agents/skills"
CLAUDE = ".claude/skills"
OTHERS = (
    *(".codex/skills", ".gemini/skills", ".github/skills", ".cursor/skills", ".goose/skills"),
    *(".openclaw/workspace/skills", ".openclaw/skills", ".picoclaw/workspace/skills", ".picoclaw/skills"),
)
"""Places of single agents; they count where they exist."""
CLAWS = ("openclaw", "picoclaw")
"""Agents whose workspaces have their skills in `skills`."""
MANAGED = "/etc/claude-code/.claude/skills"
"""What an administrator gives everybody who uses Claude Code."""
_LEVELS: Mapping[Order, tuple[Level, ...]] = {
    "standard": ("project", "user", "system"),
    "claude-code": ("system", "user", "project"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Root:
    """A folder of skill folders."""

    path: Path
    """As agents name it."""
    real: Path
    """Where it lies, links followed; but never one below the project."""
    level: Level
    agent: str = ""
    """The only agent that looks there; empty: all that keep to the convention."""
    project: Path | None = None
    """The project's folder that it lies below; None: the person put it where it is."""

    @property
    def writable(self) -> bool:
        """Whether Metier writes there: never where an administrator decides."""
        return self.level != "system"

    @property
    def link(self) -> Path | None:
        """The first link on the way to it below the project, which is never written through; None: there is none."""
        return first_link(self.project, self.real) if self.project else None

    @property
    def leads_away(self) -> bool:
        """Whether a link on the way leads out of the project: then nothing in it is the project's."""
        return bool(self.project and self.link and not _target(self.real).is_relative_to(self.project))


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillFolder:
    """A skill's folder in a root, before anything in it was read."""

    root: Root
    skill: str
    """Its folder below the root, with slashes."""
    real: Path
    link: bool = False
    """Whether the folder is a link itself."""

    @property
    def folder(self) -> Path:
        """The folder as agents name it."""
        direct = not self.link and self.root.path == self.root.real
        return self.real if direct else self.root.path / self.skill


def known_roots(workspace: Path, home: Path, extra: Sequence[str] = (), claude_home: str = "") -> list[Root]:
    """The roots of a workspace in the standard's order: its own, then the user's, then the administrator's.

    `.agents/skills` and `.claude/skills` count always, those of other agents where they exist, and `skills` where the
    folder is a workspace of PicoClaw or OpenClaw. One that is a link to another is that other.
    """
    project = None if home == workspace else _target(workspace)
    found = [_below(root, workspace, project) for root in _at(workspace, "project")]
    found += [_below(_root(_expand(name, workspace, home), "project"), workspace, project) for name in extra]
    if home != workspace:
        found += _at(home, "user")
    if claude_home:
        found.append(_root(Path(claude_home) / "skills", "user", "claude-code"))
    found.append(_root(Path(MANAGED), "system", "claude-code"))
    unique: dict[Path, Root] = {}
    own = {root.real for root in found if root.level == "project" and not root.link}
    for root in found:
        if not (root.link and _target(root.real) in own):
            unique.setdefault(root.real, root)
    return list(unique.values())


def roots_in_order(roots: Iterable[Root], order: Order) -> list[Root]:
    """The roots an agent of that order looks into, the one that wins first."""
    levels = _LEVELS[order]
    seen = [root for root in roots if order == "standard" or root.agent == order]
    return sorted(seen, key=lambda root: levels.index(root.level))


def winners(sightings: Iterable[SkillFolder], order: Order) -> dict[str, SkillFolder]:
    """Which of the skills that share a name an agent of that order takes, by folded name."""
    by_root: dict[Root, list[SkillFolder]] = {}
    for one in sightings:
        by_root.setdefault(one.root, []).append(one)
    found: dict[str, SkillFolder] = {}
    for root in roots_in_order(by_root, order):
        for one in by_root[root]:
            found.setdefault(lookalike_key(one.skill.rpartition("/")[2]), one)
    return found


def _at(folder: Path, level: Level) -> list[Root]:
    there = [_root(folder / AGENTS, level), _root(folder / CLAUDE, level, "claude-code")]
    others = [(name.split("/")[0].lstrip("."), folder / name) for name in OTHERS if (folder / name).is_dir()]
    if (agent := _claw_of(folder)) and (folder / "skills").is_dir():
        others.insert(0, (agent, folder / "skills"))
    return [*there, *(_root(path, level, agent) for agent, path in others)]


def _claw_of(folder: Path) -> str:
    """Whose workspace a folder is, PicoClaw's or OpenClaw's; empty: neither's, and its `skills` may be anything."""
    for agent in CLAWS:
        if f".{agent}" in folder.parts[-3:]:
            return agent
    if (folder / "state" / "evolution").is_dir():
        return "picoclaw"
    return "openclaw" if (folder / "SOUL.md").is_file() and (folder / "IDENTITY.md").is_file() else ""


def _root(path: Path, level: Level, agent: str = "") -> Root:
    return Root(path=path, real=_target(path), level=level, agent=agent)


def _below(root: Root, workspace: Path, project: Path | None) -> Root:
    """A root as it is named below its project: a branch may put a link anywhere on that way."""
    place = place_below(workspace, root.path)
    return root if project is None or place is None else replace(root, real=project / place, project=project)


def _target(path: Path) -> Path:
    """Where a path leads, links followed."""
    return Path(os.path.realpath(path))


def _expand(name: str, workspace: Path, home: Path) -> Path:
    if name == "~" or name.startswith("~/"):
        return home / name[2:]
    return workspace / name


SETTLED = 100_000_000
"""Nanoseconds a file must have rested before it is believed to be unchanged: clocks of file systems are coarse."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScannedSkill:
    """One skill as it was found: as before, or read anew."""

    at: SkillFolder
    glance: Glance
    stamp: str
    """The state of its folder just before it was read."""
    package: Package | None = None
    """There only when it was read this time."""


def skill_folders_in(root: Root) -> Iterator[SkillFolder]:
    """The skill folders of a root; one that holds far too many shows the first of them."""
    is_link = root.link is not None
    with suppress(InputError):
        for skill, link in () if root.leads_away else skills_below(str(root.real)):
            folder, linked = root.real / skill, link or is_link
            yield SkillFolder(root=root, skill=skill, real=_target(folder) if linked else folder, link=linked)


def scan_skill(at: SkillFolder, before: Glance | None, history: Path | str) -> ScannedSkill:
    """One skill; it is read only if its fingerprint, or the folder of its history, changed."""
    now = time.time_ns()
    stamp, newest = fingerprint(str(at.real))
    if before and before.fingerprint == f"{stamp}-{last_change(history)}":
        return ScannedSkill(at=at, glance=before, stamp=stamp)
    settled = stamp if now - newest > SETTLED else ""
    try:
        package = read_package(at.real)
    except RefusedError as error:
        unread = Glance(fingerprint=settled, name=at.skill, problem=str(error))
        return ScannedSkill(at=at, glance=unread, stamp=stamp)
    found = validate(package, level="lenient", folder=at.skill.rpartition("/")[2])
    first = found.problems[0] if found.problems else None
    said = package.frontmatter  # once: it is parsed anew each time
    glance = Glance(
        fingerprint=settled,
        hash=package.hash(),
        name=_text(said, "name") or at.skill.rpartition("/")[2],
        description=_text(said, "description"),
        problem=f"{first.file}:{first.line} {first.rule}: {first.reason}" if first else "",
    )
    return ScannedSkill(at=at, glance=glance, stamp=stamp, package=package)


def _text(frontmatter: Frontmatter, key: str) -> str:
    value = frontmatter.get(key)
    return clean(value).strip() if isinstance(value, str) else ""


def last_change(history: Path | str) -> int:
    """When a version was last added to a history; 0: never."""
    try:
        return os.stat(history).st_mtime_ns  # noqa: PTH116 - thousands of them
    except FileNotFoundError:
        return 0
