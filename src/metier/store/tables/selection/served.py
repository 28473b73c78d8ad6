"""What skills were good for so far: the requests that each served with success."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from metier.store.engines.engine import Transaction

NEWEST = 2_000
"""Requests of a workspace that are looked at."""
EACH = 16
"""Requests of one skill that count."""
SERVED = (
    "SELECT o.skill, s.body FROM outcomes o JOIN selections s ON s.id = o.selection"
    " WHERE o.workspace = ? AND o.handed = 1 AND o.used = 1 AND o.went = 1 ORDER BY s.sequence DESC LIMIT ?"
)


def served_requests(transaction: Transaction) -> dict[str, tuple[str, ...]]:
    """The newest requests that each skill served with success, each once and the newest last."""
    found: dict[str, dict[str, None]] = {}
    for skill, body in transaction.all(SERVED, (transaction.workspace, NEWEST)):
        query = str(json.loads(str(body)).get("query") or "")
        asked = found.setdefault(str(skill), {})
        if query.strip() and len(asked) < EACH:
            asked.setdefault(query)
    return {skill: tuple(reversed(asked)) for skill, asked in found.items() if asked}
