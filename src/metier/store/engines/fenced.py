"""A store for one attempt at a job: it writes nothing any more once somebody else has the job."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from metier.errors import LostJobError
from metier.store.engines.postgres import PostgresEngine
from metier.store.tables.fleet.queue import is_held

if TYPE_CHECKING:
    from collections.abc import Generator

    from metier.store.engines.postgres import PostgresTransaction
    from metier.store.tables.fleet.queue import JobAttempt


class FencedEngine(PostgresEngine):
    """A PostgreSQL store whose every write transaction first makes sure that its attempt still has the job."""

    def __init__(self, base: PostgresEngine, attempt: JobAttempt) -> None:
        super().__init__(base.url, wait=base.wait, workspace=base.workspace)
        self.base = base
        """The same store without a fence, whose connections this one uses."""
        self.share_connections(base)
        self._attempt = attempt

    def close(self) -> None:
        """The connections are not its own."""

    @contextmanager
    def write(self, *, synced: bool = True) -> Generator[PostgresTransaction]:
        """The only write transaction of this moment; LostJobError if another attempt has the job by now."""
        with super().write(synced=synced) as transaction:
            if not is_held(transaction, self._attempt):
                raise LostJobError(
                    f"Job {self._attempt.job} was taken over while this worker was silent. Nothing more is written."
                )
            yield transaction
