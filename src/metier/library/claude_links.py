"""Links in `.claude/skills`, where Claude Code looks for skills: to the active ones, as many as its list holds."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from metier.agents.changes import PutLink, apply_change
from metier.errors import RefusedError, UnreadableError
from metier.folders import first_link, open_below
from metier.foreign_files import read_foreign
from metier.library.listing import list_skills
from metier.library.package_decisions import decision_on, hold_of
from metier.library.roots import AGENTS, CLAUDE
from metier.store.tables.library import profiles

if TYPE_CHECKING:
    from collections.abc import Iterable

    from metier.context.context import Context
    from metier.library.skills import FoundSkill, Library
    from metier.types.skills import Version

LISTING = 8_000
"""Characters of Claude Code's list of skills with its smallest context window; of further ones it shows the names."""
DESCRIPTION = 1_536
"""Characters of a description that the list shows."""
MOST, SECONDS = 64 * 1024 * 1024, 1.0
"""Bytes of the largest SKILL.md that is opened, and seconds for its beginning."""
HEAD = 8_192
"""Bytes of a SKILL.md in which its front matter is looked for."""
PLUGIN = "metier"
"""The name of the link to Metier's own plugin."""


def update_link(ctx: Context, found: FoundSkill, version: Version) -> None:
    """Link a skill that is active now, and take the link to one that is not away; hooks hand the others over."""
    base = ctx.home if found.root.level == "user" else ctx.root
    if found.root.real != (base / AGENTS).resolve():
        return
    hold = hold_of(ctx, found, version.hash, decision_on(ctx, version.hash))
    if version.status == "active" and not hold.reason:
        link_skill(ctx, base, version.skill)
    else:
        unlink_skill(base, _own_folder(ctx, base), version.skill, _project(ctx, base))


def drop_held_link(ctx: Context, found: FoundSkill, version: Version) -> None:
    """Take the link to a skill away whose files were changed by hand and wait for a yes."""
    if hold_of(ctx, found, version.hash, decision_on(ctx, version.hash)).reason:
        update_link(ctx, found, version)


def linkable_skills(library: Library) -> list[tuple[Path, str]]:
    """The active skills that could be linked, with their base folders; those that are used most first."""
    ctx = library.ctx
    with ctx.store.read() as transaction:
        uses = {one.skill.casefold(): one.uses for one in profiles.list_all(transaction)}
    active = [one for one in list_skills(library) if one.status == "active" and one.is_usable]
    ranked = sorted(active, key=lambda one: (not one.pinned, -uses.get(one.name.casefold(), 0), one.name))
    bases = [base for base in (ctx.root, ctx.home) if not _is_linked(_project(ctx, base))]
    places = [(base, one) for one in ranked for base in bases if one.folder.parent == base / AGENTS]
    return [
        (base, one.folder.name)
        for base, one in places
        if not os.path.lexists(_own_folder(ctx, base) / one.folder.name) and ctx.config.claude_links != "never"
    ]


def planned_links(library: Library, *, is_connecting: bool = False) -> list[PutLink]:
    """Links to the active skills that are not linked yet, as far as Claude Code is used here and its list has room."""
    ctx = library.ctx
    return fitting_links(
        (base / AGENTS / skill, _own_folder(ctx, base), _project(ctx, base))
        for base, skill in linkable_skills(library)
        if is_connecting or _is_wanted(ctx, base)
    )


def first_links(home: Path, claude_home: str) -> list[PutLink]:
    """The links that a folder would get which is no workspace yet: what lies in the project waits for a yes."""
    own = Path(claude_home) / "skills" if claude_home else home / CLAUDE
    return fitting_links((file.parent, own, None) for file in sorted((home / AGENTS).glob("*/SKILL.md")))


def fitting_links(skills: Iterable[tuple[Path, Path, Path | None]]) -> list[PutLink]:
    """Links in Claude Code's folders, each in its project, to skills, as long as there is room in its list."""
    found: list[PutLink] = []
    room: dict[Path, int] = {}
    for skill, own, project in skills:
        link, size = own / skill.name, _line_size(skill)
        left = room.setdefault(own, LISTING - listing_size(own))
        is_same = os.path.realpath(skill.parent) == os.path.realpath(own)
        if skill.name == PLUGIN or is_same or os.path.lexists(link) or not skill.is_dir() or size > left:
            continue
        room[own] = left - size
        found.append(_link_of(skill, own, project))
    return found


def link_skill(ctx: Context, base: Path, skill: str) -> bool:
    """Link a skill where Claude Code is used, nothing of that name is there and the list has room; whether it did."""
    shared, own = base / AGENTS, _own_folder(ctx, base)
    if "/" in skill or skill == PLUGIN or not _is_wanted(ctx, base) or not (shared / skill).is_dir():
        return False
    if os.path.realpath(shared) == os.path.realpath(own) or os.path.lexists(own / skill):
        return False
    if listing_size(own) + _line_size(shared / skill) > LISTING:
        return False
    with suppress(RefusedError):  # the skill works in the shared root only
        apply_change(_link_of(shared / skill, own, _project(ctx, base)))
        return True
    return False


def shipped_places(library: Library, version: Version) -> list[str]:
    """The folder of a shipped skill, and the link to it where Claude Code looks for skills, if there is one."""
    ctx, folder = library.ctx, library.find(version.skill).folder
    base = next((one for one in (ctx.root, ctx.home) if folder.parent == one / AGENTS), ctx.root)
    link = _own_folder(ctx, base) / version.skill
    linked = link.is_symlink() and os.path.realpath(link) == os.path.realpath(folder)
    return [str(folder), *([f"{link}  (a link to it, for Claude Code)"] if linked else [])]


def unlink_skill(base: Path, own: Path, skill: str, project: Path | None) -> None:
    """Take away the link to a skill; anything else of that name stays."""
    top = project or own
    with suppress(OSError), open_below(top, own.relative_to(top)) as folder:
        if os.path.normpath(own / os.readlink(skill, dir_fd=folder)) == str(base / AGENTS / skill):
            os.unlink(skill, dir_fd=folder)


def unlink_all(base: Path) -> list[Path]:
    """Take all links to the shared skills of a project away; returns them."""
    own = base / CLAUDE
    gone: list[Path] = []
    for link in sorted(own.iterdir()) if own.is_dir() and not _is_linked(base) else ():
        unlink_skill(base, own, link.name, base)
        gone += [] if os.path.lexists(link) else [link]
    for folder in (own, own.parent) if gone else ():
        with suppress(OSError):  # something else is in it
            folder.rmdir()
    return gone


def listing_size(own: Path) -> int:
    """About how many characters the skills of a folder take in Claude Code's list."""
    try:
        return sum(_line_size(one) for one in own.iterdir() if one.name != PLUGIN)
    except OSError:
        return 0


def _line_size(folder: Path) -> int:
    try:
        with read_foreign(folder / "SKILL.md", Path("/"), MOST, SECONDS) as file:
            head = file.read(HEAD).decode("utf-8", "replace")
    except UnreadableError:
        return 0
    parts = head.split("\n---", 1)
    return len(folder.name) + min(len(parts[0]), DESCRIPTION) + len("- : \n")


def _link_of(skill: Path, own: Path, project: Path | None) -> PutLink:
    return PutLink(path=own / skill.name, target=Path(os.path.relpath(skill, own)), project=project)


def _project(ctx: Context, base: Path) -> Path | None:
    """The project in which no link is followed; None: it is the person's home."""
    return None if base == ctx.home else base


def _is_linked(project: Path | None) -> bool:
    """Whether a link stands in a project where one of its two roots would be."""
    return project is not None and any(first_link(project, project / root) for root in (AGENTS, CLAUDE))


def _own_folder(ctx: Context, base: Path) -> Path:
    return Path(ctx.claude_home) / "skills" if base == ctx.home and ctx.claude_home else base / CLAUDE


def _is_wanted(ctx: Context, base: Path) -> bool:
    """Whether Claude Code is used here: its folder is there, or it is connected."""
    if ctx.config.claude_links != "auto":
        return ctx.config.claude_links == "always"
    return (base / ".claude").is_dir() or (_own_folder(ctx, ctx.home) / PLUGIN).is_symlink()
