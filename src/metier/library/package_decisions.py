"""The latest decision on exactly these bytes of a skill: it counts in every root and under every name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.store.tables.library import package_decisions
from metier.types.skills import PackageDecision

if TYPE_CHECKING:
    from collections.abc import Iterable

    from metier.context.context import Context
    from metier.store.engines.engine import Transaction
    from metier.types.skills import Version

YES = ("apply", "edit", "import", "restore", "rollback")
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


def decision_on(ctx: Context, package: str) -> PackageDecision | None:
    """The latest decision on the hash of a package."""
    with ctx.store.read() as transaction:
        return package_decisions.get(transaction, package)


def hold_reason(decision: PackageDecision | None) -> str:
    """Why bytes are not handed out although they are there; empty: nothing holds them back."""
    if decision is None or decision.allowed:
        return ""
    return f"there is a no to exactly these files ({decision.action}, {decision.happened[:10]})"
