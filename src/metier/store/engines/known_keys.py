"""Which keys a table holds, known in advance where they are few: most of what is looked for is not there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from metier.store.engines.engine import Engine

MOST = 50_000
"""Keys that are held in memory; where there are more, each one is looked for."""


class KnownKeys:
    """The keys of a table when it was made; what another process adds later is not among them."""

    def __init__(self, engine: Engine, table: Literal["memo", "rollouts"]) -> None:
        column = {"memo": "key", "rollouts": "id"}[table]
        with engine.glance() as transaction:
            rows = transaction.all(f"SELECT {column} FROM {table} LIMIT ?", (MOST + 1,))
        self._keys = {str(row[0]) for row in rows} if len(rows) <= MOST else None

    def may_hold(self, *keys: str) -> bool:
        """Whether it is worth looking for one of these."""
        return self._keys is None or not self._keys.isdisjoint(keys)
