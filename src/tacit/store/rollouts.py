"""Rollouts in the store, each under the hash of everything that determined it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.store.codec import dumps, loads
from tacit.trials import Rollout

if TYPE_CHECKING:
    from tacit.store.engine import Transaction


def put(transaction: Transaction, key: str, rollout: Rollout) -> None:
    """Store a rollout once."""
    transaction.all(
        "INSERT INTO rollouts (id, case_id, skill_hash, target, sample, body) VALUES (?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (id) DO NOTHING",
        (key, rollout.case, rollout.skill_hash, rollout.target, rollout.sample, dumps(rollout)),
    )


def get(transaction: Transaction, key: str) -> Rollout | None:
    """The rollout under a key, if it was made before."""
    rows = transaction.all("SELECT body FROM rollouts WHERE id = ?", (key,))
    return loads(Rollout, rows[0][0]) if rows else None
