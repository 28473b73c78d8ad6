"""The fleet: workers, what waits and runs, and what failed, to be tried again or removed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.errors import NotFoundError
from metier.store.tables.fleet import queue
from metier.store.tables.fleet.status import list_workers, read_status
from metier.web.answers import Done, Page, action_route, page_route

if TYPE_CHECKING:
    from metier.web.answers import Ask
    from metier.web.dashboard import Dashboard

SHOWN = 50
"""Jobs of each kind of state on the page."""


def fleet(board: Dashboard, _: Ask) -> Page:
    """The page; a workspace with a store of its own has no fleet."""
    if not board.context.config.store:
        return Page(template="fleet.html", title="Fleet", values={"shared": False})
    with board.context.store.read() as transaction:
        found = read_status(transaction)
        workers = list_workers(transaction) if found.workers else []
    values: dict[str, object] = {
        "shared": True,
        "workers": workers,
        "failed": [(one, found.reason(one.job)) for one in found.failed[:SHOWN]],
        "running": found.running[:SHOWN],
        "waiting": found.waiting[:SHOWN],
        "counts": {"failed": len(found.failed), "running": len(found.running), "waiting": len(found.waiting)},
        "ended": [one for one in found.outcomes if one.ok],
    }
    return Page(template="fleet.html", title="Fleet", values=values)


def retry(board: Dashboard, ask: Ask) -> Done:
    """Hand a failed job out again."""
    job = _job(board, ask)
    with board.context.store.write() as transaction:
        changed = queue.retry_failed(transaction, [job])
    if not changed:
        raise NotFoundError(f"Job {job} has not failed, or is gone.")
    return Done(said=f"Job {job} waits for a worker again.", command=f"metier fleet drop {job}", go="/fleet")


def drop(board: Dashboard, ask: Ask) -> Done:
    """Remove a failed job."""
    job = _job(board, ask)
    with board.context.store.write() as transaction:
        kept = queue.failed_job(transaction, job)
        if kept is None or not queue.drop_failed(transaction, [job]):
            raise NotFoundError(f"Job {job} has not failed, or is gone.")

    def undo() -> str:
        with board.context.store.write() as transaction:
            queue.put(transaction, [kept])
        return f"What was job {job} waits for a worker again."

    return Done(said=f"Removed job {job}.", undo=undo, go="/fleet")


def _job(board: Dashboard, ask: Ask) -> int:
    """The number in the address, where there can be such a job at all."""
    text = ask.values["job"]
    if not (text.isascii() and text.isdigit() and len(text) < 16) or not board.context.config.store:
        raise NotFoundError(f"There is no job '{text[:40]}' here.")
    with board.context.store.read() as transaction:
        if not queue.is_installed(transaction):
            raise NotFoundError(f"There is no job {text} here.")
    return int(text)


ROUTES = (
    page_route("/fleet", fleet),
    action_route("/fleet/{job}/retry", retry),
    action_route("/fleet/{job}/drop", drop),
)
