"""The job engine's tables, as Metier reads and changes them: procrastinate's, on PostgreSQL, in the store's schema.

An attempt at a job is known by the job's number and how often it was tried before. Whenever the engine hands a job out
again it counts one up, so this pair is a fencing token: the word of an attempt that is not the newest does not count.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.store.engines.engine import Transaction

PUT = "SELECT procrastinate_defer_jobs_v1(ARRAY[ROW(?, ?, ?, ?, NULL, ?::jsonb, NULL)::procrastinate_job_to_defer_v1])"
FINISH = (
    "SELECT procrastinate_finish_job_v1(id, %(status)s::procrastinate_job_status, %(delete_job)s) FROM"
    " (SELECT id FROM procrastinate_jobs WHERE id = %(job_id)s AND attempts = %(attempts)s AND status = 'doing'"
    " FOR UPDATE) AS held"
)
"""Ends a job for the attempt that has it, and does nothing for any other; the words are procrastinate's."""
RETRY = (
    "SELECT procrastinate_retry_job_v2(id, %(retry_at)s, %(priority)s, %(queue)s, %(lock)s) FROM"
    " (SELECT id FROM procrastinate_jobs WHERE id = %(job_id)s AND attempts = %(attempts)s AND status = 'doing'"
    " FOR UPDATE) AS held"
)
"""The same for handing a job out again."""


class JobAttempt(NamedTuple):
    """One attempt at a job."""

    job: int
    number: int
    """How often the job was tried before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueRow:
    """A job in the engine's table."""

    job: int
    kind: str
    key: str
    state: str
    """`todo`, `doing` or `failed`."""
    attempts: int
    worker: int | None


def queue_of(workspace: str) -> str:
    """What the engine calls a workspace: names may be long, and those of its channels may not."""
    return blake2b(workspace.encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()


def is_installed(transaction: Transaction) -> bool:
    """Whether the engine's tables are there."""
    return bool(transaction.all("SELECT 1 WHERE to_regclass('procrastinate_jobs') IS NOT NULL"))


def waiting_keys(transaction: Transaction) -> set[str]:
    """The keys of this workspace's jobs that nobody has begun."""
    sql = "SELECT args->>'key' FROM procrastinate_jobs WHERE queue_name = ? AND status = 'todo'"
    return {str(row[0]) for row in transaction.all(sql, (queue_of(transaction.workspace),))}


def put(transaction: Transaction, jobs: Sequence[tuple[str, int, str | None, str]]) -> None:
    """Hand jobs in: kind, priority, what no two jobs may hold at once, and arguments as JSON."""
    queue = queue_of(transaction.workspace)
    transaction.many(PUT, [(queue, kind, priority, lock, given) for kind, priority, lock, given in jobs])


def is_held(transaction: Transaction, attempt: JobAttempt) -> bool:
    """Whether this attempt still has its job; until the transaction ends, nobody can take it over."""
    sql = "SELECT 1 FROM procrastinate_jobs WHERE id = ? AND attempts = ? AND queue_name = ? AND status = 'doing'"
    return bool(transaction.all(f"{sql} FOR SHARE", (*attempt, queue_of(transaction.workspace))))


def states_of(transaction: Transaction, kind: str, beginning: str) -> dict[str, QueueRow]:
    """This workspace's jobs of a kind that are not done and whose keys begin so, by key."""
    return {row.key: row for row in list_open(transaction) if row.kind == kind and row.key.startswith(beginning)}


def cancel_waiting(transaction: Transaction, kind: str, beginning: str) -> None:
    """Take out this workspace's jobs of a kind that nobody has begun and whose keys begin so."""
    transaction.all(
        "DELETE FROM procrastinate_jobs WHERE queue_name = ? AND status = 'todo' AND task_name = ?"
        " AND starts_with(args->>'key', ?)",
        (queue_of(transaction.workspace), kind, beginning),
    )


def list_open(transaction: Transaction) -> list[QueueRow]:
    """This workspace's jobs that are not done, in the order they would be begun."""
    sql = (
        "SELECT id, task_name, coalesce(args->>'key', ''), status::text, attempts, worker_id FROM procrastinate_jobs"
        " WHERE queue_name = ? AND status IN ('todo', 'doing', 'failed') ORDER BY priority DESC, id"
    )
    return [
        QueueRow(
            job=int(str(row[0])),
            kind=str(row[1]),
            key=str(row[2]),
            state=str(row[3]),
            attempts=int(str(row[4])),
            worker=None if row[5] is None else int(str(row[5])),
        )
        for row in transaction.all(sql, (queue_of(transaction.workspace),))
    ]


def workers_alive(transaction: Transaction, seconds: float) -> int:
    """Workers of this store, for any workspace, that were heard of within so many seconds."""
    sql = "SELECT count(*) FROM procrastinate_workers WHERE last_heartbeat > now() - make_interval(secs => ?)"
    return int(str(transaction.all(sql, (seconds,))[0][0]))


def retry_failed(transaction: Transaction, jobs: Sequence[int]) -> list[int]:
    """Hand failed jobs of this workspace out again; says which they were."""
    sql = (
        "SELECT id, procrastinate_retry_job_v2(id, now(), NULL, NULL, NULL)::text FROM procrastinate_jobs"
        " WHERE queue_name = ? AND status = 'failed' AND id = ?"
    )
    queue = queue_of(transaction.workspace)
    return [int(str(row[0])) for job in jobs for row in transaction.all(sql, (queue, job))]


def failed_job(transaction: Transaction, job: int) -> tuple[str, int, str | None, str] | None:
    """A failed job of this workspace as it was handed in, if it is there."""
    sql = (
        "SELECT task_name, priority, lock, args::text FROM procrastinate_jobs"
        " WHERE queue_name = ? AND status = 'failed' AND id = ?"
    )
    rows = transaction.all(sql, (queue_of(transaction.workspace), job))
    if not rows:
        return None
    kind, priority, lock, given = rows[0]
    return str(kind), int(str(priority)), None if lock is None else str(lock), str(given)


def drop_failed(transaction: Transaction, jobs: Sequence[int]) -> list[int]:
    """Remove failed jobs of this workspace; says which they were."""
    sql = "DELETE FROM procrastinate_jobs WHERE queue_name = ? AND status = 'failed' AND id = ? RETURNING id"
    queue = queue_of(transaction.workspace)
    return [int(str(row[0])) for job in jobs for row in transaction.all(sql, (queue, job))]
