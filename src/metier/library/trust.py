"""The one yes to skills that wait: they lie in a root of the project, and nothing was decided on their files yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.context.audit import YesWords, note_yes
from metier.errors import NotFoundError, RefusedError
from metier.library.claude_links import link_skill
from metier.library.listing import list_skills
from metier.library.package_decisions import note_decision
from metier.library.roots import AGENTS
from metier.types.reviews import blocks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.library.listing import Skill
    from metier.library.skills import Library

ACTION = "trust skill"


def skills_to_trust(library: Library, names: Sequence[str] = ()) -> list[Skill]:
    """The skills that wait for a yes; with `names` those of them, and such as had a no. Reads only."""
    found = list_skills(library)
    unknown = sorted(set(names) - {one.name for one in found})
    if unknown:
        raise NotFoundError(f"There is no skill '{unknown[0]}' here. `metier skills list` shows what there is.")
    return [one for one in found if (one.held and one.name in names) or (one.waits and not names)]


def asks_of_skill(library: Library, skill: Skill) -> tuple[str, ...]:
    """What the files of a skill ask to be allowed to do, and what review has against them. Reads only."""
    from metier.library.disk.packages import read_package
    from metier.library.proposals.review_gate import review_change

    package = read_package(skill.folder)
    if package.hash() != skill.hash:
        raise RefusedError(f"{skill.folder} changed just now. Run the command again.")
    review = review_change(library.ctx, package, skill.name, None)
    stops = [f"review blocks it all the same: {one.reason}" for one in review.findings if blocks(one)][:1]
    return (*stops, *review.asks)


def trust_skills(library: Library, skills: Sequence[Skill]) -> None:
    """Note a yes to exactly the files that were listed, and link those that Claude Code should see."""
    ctx = library.ctx
    with ctx.store.write() as transaction:
        for one in skills:
            note_decision(transaction, ctx, one.hash, ACTION, allowed=True)
            said = YesWords(about=one.name, undo=f"metier skills archive {one.name}")
            note_yes(transaction, ctx, ACTION, f"{one.name} {one.hash}", "", said)
    for one in skills:
        for base in (ctx.root, ctx.home):
            if one.folder.parent == base / AGENTS and one.status == "active":
                link_skill(ctx, base, one.folder.name)


def trust_as_program(library: Library, names: Sequence[str]) -> list[Skill]:
    """Note a program's yes to the skills that wait, or to those named; returns them."""
    found = skills_to_trust(library, names)
    trust_skills(library, found)
    return found
