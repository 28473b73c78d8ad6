"""Profiles: how each skill is doing, one row per skill whatever the case of its name."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from metier.formats.value_json import dumps, loads
from metier.types import SkillGuidance
from metier.types.skills import NO_GUIDANCE, Profile, SkillOrigin, SkillStatus

if TYPE_CHECKING:
    from collections.abc import Iterable

    from metier.store.engines.engine import Row, Transaction

COLUMNS = "skill, workspace, status, origin, uses, successes, failures, last_used, retention, pinned, changed, guidance"
PUT = (
    f"INSERT INTO profiles ({COLUMNS}, name) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    " ON CONFLICT (workspace, name) DO UPDATE SET status = excluded.status, origin = excluded.origin,"
    " uses = excluded.uses, successes = excluded.successes, failures = excluded.failures,"
    " last_used = excluded.last_used, retention = excluded.retention, pinned = excluded.pinned,"
    " changed = excluded.changed, guidance = excluded.guidance"
)


def get(transaction: Transaction, skill: str) -> Profile | None:
    """The profile of a skill, if it was ever seen."""
    rows = transaction.all(
        f"SELECT {COLUMNS} FROM profiles WHERE workspace = ? AND name = ?", (transaction.workspace, skill.casefold())
    )
    return _profile(rows[0]) if rows else None


def list_all(transaction: Transaction) -> list[Profile]:
    """Every profile of a workspace, by name."""
    rows = transaction.all(
        f"SELECT {COLUMNS} FROM profiles WHERE workspace = ? ORDER BY name", (transaction.workspace,)
    )
    return [_profile(row) for row in rows]


def put(transaction: Transaction, profiles: Iterable[Profile]) -> None:
    """Store profiles as they are now."""
    rows = [
        (
            *(profile.skill, profile.workspace, profile.status, profile.origin, profile.uses, profile.successes),
            *(profile.failures, profile.last_used, profile.retention, int(profile.pinned), profile.changed),
            *("" if profile.guidance == NO_GUIDANCE else dumps(profile.guidance), profile.skill.casefold()),
        )
        for profile in profiles
    ]
    transaction.many(PUT, rows)


def _profile(row: Row) -> Profile:
    skill, workspace, status, origin, uses, successes, failures, last_used, retention, pinned, changed, guidance = row
    return Profile(
        skill=str(skill),
        workspace=str(workspace),
        status=cast("SkillStatus", status),
        origin=cast("SkillOrigin", origin),
        uses=cast("int", uses),
        successes=cast("int", successes),
        failures=cast("int", failures),
        last_used=str(last_used),
        retention=cast("float", retention),
        pinned=bool(pinned),
        changed=str(changed),
        guidance=loads(SkillGuidance, guidance) if guidance else NO_GUIDANCE,
    )
