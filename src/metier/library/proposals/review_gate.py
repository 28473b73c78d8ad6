"""The one door: whatever wants to change a skill is reviewed, gated and only then applied, whoever proposes it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from metier.errors import InputError, RefusedError
from metier.library.changes import ship_changes
from metier.library.proposals.drafts import draft_of_package, save_draft
from metier.library.proposals.second_opinion_commands import opinion_commands
from metier.skills.validation import validate
from metier.types.reviews import blocks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.context.context import Context
    from metier.library.skills import FoundSkill, Library
    from metier.library.versions.apply import SkillChange
    from metier.skills.package import Package
    from metier.types import Finding
    from metier.types.reviews import Review
    from metier.types.skills import Version


def ship_reviewed_change(
    library: Library, found: FoundSkill, change: SkillChange, *, before: Package | None
) -> Version:
    """Ship a person's own change; what review will not let through waits as a draft instead."""
    check_standard(change.package, before, found.skill)
    findings = review_change(library.ctx, change.package, found.skill, before).findings
    blocking = _blocking(library.ctx, findings, before, found.skill) if any(map(blocks, findings)) else []
    if blocking:
        draft = draft_of_package(library, found, change.package, summary=change.version.summary)
        draft = replace(draft, status="quarantined", findings=findings)
        save_draft(library.ctx, draft)
        first = blocking[0]
        raise RefusedError(
            f"Blocked by review: {first.rule} in {first.file}:{first.line}: {first.reason} "
            f"Nothing was changed. Saved as draft {draft.id}: metier drafts show {draft.id}"
        )
    version = replace(change.version, findings=findings, receipt="force_accept: a person's own change")
    return ship_changes(library.ctx, [(found, replace(change, version=version))])[0]


def check_standard(package: Package, before: Package | None, folder: str) -> None:
    """Refuse what the standard forbids, unless it was so before: nothing gets worse by passing through here."""
    name = folder.rpartition("/")[2]
    known = {one.rule for one in validate(before, level="strict", folder=name).problems} if before else set[str]()
    for problem in validate(package, level="strict", folder=name).problems:
        if problem.rule not in known:
            raise InputError(f"{problem.file}:{problem.line} {problem.rule}: {problem.reason} {problem.fix}")


def review_change(ctx: Context, package: Package, skill: str, before: Package | None) -> Review:
    """What the four layers say of a package that a person hands in, and whoever else was asked to look."""
    from metier.review.review import review_package

    second = opinion_commands(ctx.config.second_opinions)
    return review_package(package, folder=skill.rpartition("/")[2], before=before, second=second)


def _blocking(ctx: Context, findings: Sequence[Finding], before: Package | None, skill: str) -> list[Finding]:
    """The findings that keep a change out: those that what is there does not have already."""
    known = (
        {(one.rule, one.file, one.excerpt) for one in review_change(ctx, before, skill, None).findings}
        if before
        else set[tuple[str, str, str]]()
    )
    return [one for one in findings if blocks(one) and (one.rule, one.file, one.excerpt) not in known]
