"""One skill by its name, for whoever asks for it: only what passed review, or what a person approved."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from metier.errors import NotFoundError
from metier.selection.assembly.assemble import body_of
from metier.selection.assembly.render import HandedText, hand_over
from metier.selection.candidates.reviewed import allowed_package
from metier.selection.types import ChosenSkill

if TYPE_CHECKING:
    from metier.selection.candidates.catalogue import CatalogueEntry
    from metier.selection.candidates.skill_pool import SkillPool
    from metier.skills.package import Package


def hand_out(pool: SkillPool, name: str) -> HandedText:
    """The text of one skill, within the budget of a selection; refused if it may not be handed out."""
    package, version = package_to_hand_out(pool, name)
    skill = replace(_entry(pool, name).skill, body=body_of(package.document), version=version)
    chosen = ChosenSkill(skill=skill, activation_reason="pinned")
    return hand_over([chosen], "mcp", pool.ctx.config.selection.select_budget)


def package_to_hand_out(pool: SkillPool, name: str) -> tuple[Package, str]:
    """The files of one skill as they are on disk now, and their version; refused if they may not be handed out."""
    return allowed_package(pool.library, _entry(pool, name))


def _entry(pool: SkillPool, name: str) -> CatalogueEntry:
    found = pool.update_if_stale().in_use.get(name)
    if found is None:
        raise NotFoundError(f"There is no skill '{name[:100]}' in use here. See all skills: metier skills list")
    return found
