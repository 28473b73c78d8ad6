"""The latest decision on exactly these bytes of a skill: it counts in every root and under every name."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from metier.store.tables.library import package_decisions
from metier.types.skills import PackageDecision

if TYPE_CHECKING:
    from collections.abc import Iterable

    from metier.context.context import Context
    from metier.library.skills import FoundSkill
    from metier.store.engines.engine import Transaction
    from metier.types.skills import Version

REVIEWED_ACTIONS = ("apply", "edit", "import")
"""Versions that were reviewed or approved when they were made; all others are reviewed before use."""
YES = (*REVIEWED_ACTIONS, "restore", "rollback")
"""Versions that are a yes to their bytes."""
NO = ("archive", "delete")
"""Versions that are a no to their bytes; a rollback is one to the bytes it took the place of."""


def note_decision(transaction: Transaction, ctx: Context, package: str, action: str, *, allowed: bool) -> None:
    """Keep a decision on the hash of a package; a yes under this person's seal."""
    seal = ctx.seal("package", package) if allowed else ""
    decision = PackageDecision(hash=package, allowed=allowed, action=action, happened=ctx.now(), seal=seal)
    package_decisions.put(transaction, [decision])


def note_versions(transaction: Transaction, ctx: Context, versions: Iterable[Version]) -> None:
    """Keep what new versions say of their bytes, and of those they took the place of."""
    for version in versions:
        action = f"skill {version.action}"
        if version.action == "rollback" and version.parent == version.hash:
            continue  # it notes that a change failed: no bytes were taken back
        if version.action == "rollback":
            note_decision(transaction, ctx, version.parent, action, allowed=False)
        if version.action in (*YES, *NO):
            note_decision(transaction, ctx, version.hash, action, allowed=version.action in YES)


def was_reviewed_here(ctx: Context, version: Version) -> bool:
    """Whether this person's Metier let these bytes in; a history that came along proves nothing."""
    sealed = ctx.is_sealed(version.seal, "version", version.skill, version.hash)
    return version.action in REVIEWED_ACTIONS and sealed


def decision_on(ctx: Context, package: str) -> PackageDecision | None:
    """The latest decision on the hash of a package."""
    with ctx.store.read() as transaction:
        return package_decisions.get(transaction, package)


def is_refused(decision: PackageDecision | None) -> bool:
    """Whether the latest decision is a no."""
    return decision is not None and not decision.allowed


def refusal_text(decision: PackageDecision) -> str:
    """Why bytes with a no are not handed out."""
    return f"there is a no to exactly these files ({decision.action}, {decision.happened[:10]})"


class Hold(NamedTuple):
    """Why a skill that is there is not handed out; empty: nothing holds it back."""

    reason: str = ""
    waits: bool = False
    """Whether it is because nothing was decided on its files yet."""


FREE = Hold()
WAITING = Hold("it waits for your yes: metier skills trust", waits=True)


def hold_of(ctx: Context, found: FoundSkill, package: str, decision: PackageDecision | None) -> Hold:
    """What holds back the files of that hash: a no, or that they lie in the project and there was no answer yet."""
    if decision is not None and is_refused(decision):
        name = found.skill.rpartition("/")[2]
        return Hold(f"{refusal_text(decision)}. To allow them: metier skills trust {name}")
    if decision is not None and (ctx.config.store or ctx.is_sealed(decision.seal, "package", package)):
        return FREE
    if not package or not _is_of_project(ctx, found):
        return FREE
    last = found.last()  # its seal tells of the yes also where the database was lost
    was_applied = last is not None and last.hash == package and was_reviewed_here(ctx, last)
    return FREE if was_applied else WAITING


def _is_of_project(ctx: Context, found: FoundSkill) -> bool:
    """Whether a skill lies in a root of the project."""
    root, base = found.root, ctx.root
    if root.level != "project" or base == ctx.home:
        return False
    return root.path.is_relative_to(base) or root.real.is_relative_to(os.path.realpath(base))
