"""Jobs on a shared store: handed in once, done by any worker, tried again; only the newest attempt writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from metier.errors import ConfigError, LostJobError
from metier.events import Ended, Noted
from metier.fleet.jobs import Job
from metier.fleet.queue import QueuedJobs
from metier.fleet.worker import FleetWorker, WorkerPace
from metier.store.engines.fenced import FencedEngine
from metier.store.engines.postgres import PostgresEngine
from metier.store.tables import meta
from metier.store.tables.fleet.queue import JobAttempt
from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from metier.fleet.worker import WorkerEvent

pytestmark = pytest.mark.xdist_group("postgresql")
TOKEN = "ghp_" + "a1B2c3D4e" * 4
ONCE = WorkerPace(once=True, slots=2)


@pytest.fixture
def shared(new_postgres: str, tmp_path: Path) -> Iterator[Workspace]:
    with opened(tmp_path / "shop", new_postgres) as ws:
        yield ws


def opened(folder: Path, store: str) -> Workspace:
    folder.mkdir(exist_ok=True)
    return Workspace.open(folder, flags={"store": store})


def job(number: int, **given: int) -> Job:
    return Job(kind="count", key=f"count {number}", given={"number": number, **given})


def worked(ws: Workspace, does: Callable[[Workspace, Mapping[str, object]], str]) -> list[WorkerEvent]:
    return list(FleetWorker([ws], {"count": does}, ONCE).events())


def test_jobs_are_done_once_each_and_what_came_of_them_is_kept(shared: Workspace) -> None:
    jobs, seen = QueuedJobs(shared.context), list[object]()

    def does(_: Workspace, given: Mapping[str, object]) -> str:
        seen.append(given["number"])
        return f"counted {given['number']}"

    assert jobs.put([job(1), job(2), job(2)]) == 2
    assert jobs.put([job(2), job(3)]) == 1
    told = worked(shared, does)
    assert sorted(seen, key=str) == [1, 2, 3]
    assert sorted(one.event.text for one in told if isinstance(one.event, Ended)) == [f"counted {n}" for n in (1, 2, 3)]
    found = jobs.status()
    assert (found.waiting, found.running, found.failed) == ((), (), ())
    assert sorted((one.ok, one.text) for one in found.outcomes) == [(True, f"counted {n}") for n in (1, 2, 3)]


def test_a_job_that_fails_is_tried_again_then_waits_for_a_person_who_can_retry_or_drop_it(shared: Workspace) -> None:
    jobs, whole = QueuedJobs(shared.context), False

    def does(ws: Workspace, given: Mapping[str, object]) -> str:
        if not whole:
            raise ValueError(f"the disk of {TOKEN} is full")
        return "well"

    jobs.put([job(1), job(2)])
    for attempt in range(3):
        hurry(shared)
        told = worked(shared, does)
        assert sum(isinstance(one.event, Noted) for one in told) == 2, attempt
    assert worked(shared, does) == []
    failed = jobs.status().failed
    assert [one.attempts for one in failed] == [3, 3]
    reasons = {one.text for one in jobs.status().outcomes}
    assert all(reason.startswith("ValueError: the disk of") and TOKEN not in reason for reason in reasons)
    assert jobs.retry([failed[0].job, 99]) == [failed[0].job]
    assert jobs.drop([failed[1].job]) == [failed[1].job]
    whole = True
    worked(shared, does)
    assert jobs.status().failed == ()


def hurry(ws: Workspace) -> None:
    """Let jobs that wait for their next try be due now."""
    with ws.context.store.write() as transaction:
        transaction.all("UPDATE procrastinate_jobs SET scheduled_at = NULL WHERE status = 'todo'")


def test_an_attempt_that_was_taken_over_writes_nothing_and_ends_nobodys_job(shared: Workspace) -> None:
    jobs, second = QueuedJobs(shared.context), list[str]()

    def sleeps(ws: Workspace, given: Mapping[str, object]) -> str:
        with ws.context.store.write() as transaction:
            meta.put(transaction, "before", "mine")
        take_over(shared)
        with ws.context.store.write() as transaction:
            meta.put(transaction, "after", "mine")
        return "not reached"

    def takes(ws: Workspace, given: Mapping[str, object]) -> str:
        with ws.context.store.write() as transaction:
            second.append(meta.get(transaction, "before") + meta.get(transaction, "after"))
        return "taken over"

    jobs.put([job(1)])
    told = FleetWorker([shared], {"count": sleeps}, ONCE).events()
    notes = [one.event for one in told if isinstance(one.event, Noted)]
    assert any("taken over while this worker was silent" in one.text for one in notes)
    assert [one.state for one in jobs.status().running] == ["doing"]  # the sleeper's failure did not end it
    take_over(shared, to="todo")
    worked(shared, takes)
    assert second == ["mine"]
    assert [one.text for one in jobs.status().outcomes] == ["taken over"]


def take_over(ws: Workspace, to: str = "doing") -> None:
    """As if another worker had noticed the silence, and begun the job."""
    with ws.context.store.write() as transaction:
        transaction.all(f"UPDATE procrastinate_jobs SET status = '{to}', attempts = attempts + 1")


def test_a_store_for_an_attempt_refuses_another_workspaces_job(shared: Workspace, new_postgres: str) -> None:
    jobs = QueuedJobs(shared.context)

    def does(ws: Workspace, given: Mapping[str, object]) -> str:
        (row,) = jobs.status().running
        other = PostgresEngine(new_postgres, wait=5, workspace="another")
        foreign = FencedEngine(other, JobAttempt(row.job, row.attempts))
        with pytest.raises(LostJobError), foreign.write():
            pass
        other.close()
        return "refused"

    jobs.put([job(1)])
    worked(shared, does)
    assert [one.text for one in jobs.status().outcomes] == ["refused"]


def test_workspaces_on_one_store_see_and_do_their_own_jobs_only(
    shared: Workspace, new_postgres: str, tmp_path: Path
) -> None:
    with opened(tmp_path / "site", new_postgres) as site:
        QueuedJobs(shared.context).put([job(1)])
        QueuedJobs(site.context).put([job(2)])
        seen: list[object] = []

        def does(_: Workspace, given: Mapping[str, object]) -> str:
            seen.append(given["number"])
            return "done"

        worked(site, does)
        assert seen == [2]
        assert QueuedJobs(site.context).status().waiting == ()
        (left,) = QueuedJobs(shared.context).status().waiting
        assert QueuedJobs(site.context).drop([left.job]) == QueuedJobs(site.context).retry([left.job]) == []
        told = FleetWorker([shared, site], {"count": does}, ONCE).events()
        assert {one.workspace for one in told} == {shared.name}


def test_a_workspace_with_a_store_of_its_own_is_refused(ws: Workspace) -> None:
    with pytest.raises(ConfigError, match="needs PostgreSQL"):
        QueuedJobs(ws.context)
    with pytest.raises(ConfigError, match="needs PostgreSQL"):
        FleetWorker([ws], {})
