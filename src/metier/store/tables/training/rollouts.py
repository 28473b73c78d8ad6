"""Rollouts in the store, each under the hash of everything that determined it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.formats.value_json import dumps, loads
from metier.types.trials import Rollout

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.store.engines.engine import Transaction


PUT = (
    "INSERT INTO rollouts (id, case_id, skill_hash, target, sample, body) VALUES (?, ?, ?, ?, ?, ?)"
    " ON CONFLICT (id) DO NOTHING"
)
Entry = tuple[str, str, str, str, int, str]
"""A rollout as the store keeps it, its key first."""


def entry_of(key: str, rollout: Rollout) -> Entry:
    """A rollout under a key, as a row."""
    return key, rollout.case, rollout.skill_hash, rollout.target, rollout.sample, dumps(rollout)


def put(transaction: Transaction, key: str, rollout: Rollout) -> None:
    """Store a rollout once."""
    transaction.all(PUT, entry_of(key, rollout))


def put_all(transaction: Transaction, entries: list[Entry]) -> None:
    """Store many, each once."""
    transaction.many(PUT, entries)


def get(transaction: Transaction, *keys: str) -> Rollout | None:
    """The rollout under the first of these keys that was made before."""
    marks = ", ".join("?" * len(keys))
    rows = transaction.all(f"SELECT id, body FROM rollouts WHERE id IN ({marks})", keys)
    found = {str(name): body for name, body in rows}
    return next((loads(Rollout, found[key]) for key in keys if key in found), None)


def get_all(transaction: Transaction, keys: Sequence[str]) -> dict[str, Rollout]:
    """Those of these rollouts that were made before."""
    if not keys:
        return {}
    marks = ", ".join("?" * len(keys))
    rows = transaction.all(f"SELECT id, body FROM rollouts WHERE id IN ({marks})", keys)
    return {str(name): loads(Rollout, body) for name, body in rows}
