"""Runs that a pass has read, kept for its drafts as far as they fit into memory: reading one twice is slow."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from metier.store.tables.recording import runs

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from metier.store.engines.engine import Transaction
    from metier.types import Record, Run

ROOM = 32 * 1024 * 1024
"""Bytes, roughly, that kept runs may take."""
EACH = 1_500
"""What a run takes besides its texts."""


@dataclass(slots=True, kw_only=True)
class Read:
    """Runs as they were read, each for one draft."""

    room: int = ROOM
    kept: dict[str, Record] = field(default_factory=dict[str, "Record"])

    def keep(self, records: Iterable[Record]) -> None:
        """Keep records, as many as there is room for."""
        for record in records:
            size = _size(record.run)
            if size <= self.room:
                self.kept[record.id] = record
                self.room -= size

    def take(self, transaction: Transaction, ids: Sequence[str]) -> dict[str, Run]:
        """Runs as they are in the store now; what was kept of them, and has not changed since, is not read again."""
        kept = [record for run in ids if (record := self.kept.pop(run, None)) is not None]
        self.room += sum(_size(record.run) for record in kept)
        found = {record.id: record.run for record in runs.unchanged(transaction, kept)}
        missing = [run for run in ids if run not in found]
        return found | {record.id: record.run for record in runs.many(transaction, missing)}


def _size(run: Run) -> int:
    texts = sum(len(call.input) + len(call.output) + len(call.said) for call in run.tools)
    shown = sum(len(one.text) for one in run.context) + sum(len(one.body) for one in run.skills.shown)
    return EACH + len(run.message) + len(run.output) + texts + shown
