"""How a skill stands: its profile, kept in step with its newest version."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from metier.store.tables.library import profiles
from metier.types.skills import NO_GUIDANCE, Profile

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from metier.context.context import Context
    from metier.library.skills import FoundSkill
    from metier.store.engines.engine import Transaction
    from metier.types.skills import Version

CHANGES = ("found", "hand-edit", "apply", "edit", "import", "rollback", "restore")
"""Actions after which a skill is as new: it idles from there."""


def name_of(skill: str) -> str:
    """What runs call a skill: the last part of its folder."""
    return skill.rpartition("/")[2]


def profile_after(profile: Profile | None, version: Version, workspace: str) -> Profile:
    """The profile once a version was made; where a skill comes from is settled by its first one."""
    known = profile or Profile(skill=name_of(version.skill), workspace=workspace)
    return replace(
        known,
        status=version.status,
        origin=known.origin if known.changed else version.origin,
        pinned={"pin": True, "unpin": False}.get(version.action, known.pinned),
        guidance=known.guidance if version.guidance == NO_GUIDANCE else version.guidance,
        changed=version.created if version.action in CHANGES else known.changed,
    )


def update_profiles(ctx: Context, transaction: Transaction, versions: Iterable[Version]) -> None:
    """Bring the profiles of some skills up to their newest versions."""
    found: dict[str, Profile] = {}
    for version in versions:
        name = name_of(version.skill)
        known = found.get(name.casefold()) or profiles.get(transaction, name)
        found[name.casefold()] = profile_after(known, version, ctx.name)
    profiles.put(transaction, found.values())


def is_behind(known: Mapping[str, Profile], version: Version) -> bool:
    """Whether a profile does not know of a version yet; a use after it has the last word on a skill that is out."""
    profile = known.get(name_of(version.skill).casefold())
    used = profile is not None and profile.last_used and profile.last_used >= version.created
    return profile is not None and not (version.out and used)


def profile_from_history(found: FoundSkill, workspace: str) -> Profile | None:
    """A profile from a skill's history alone: what it says when the database is gone."""
    profile: Profile | None = None
    for version in found.history().versions:
        profile = profile_after(profile, version, workspace)
    return profile


def profile_of(ctx: Context, found: FoundSkill) -> Profile:
    """The profile of a skill, from its history where the database knows nothing of it."""
    with ctx.store.read() as transaction:
        known = profiles.get(transaction, name_of(found.skill))
    return known or profile_from_history(found, ctx.name) or Profile(skill=name_of(found.skill), workspace=ctx.name)
