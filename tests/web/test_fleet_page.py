"""The fleet's page: who works, what waits, what failed and why; failed jobs are tried again or removed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from dashboard_world import HOSTILE, serve_dashboard

from metier.fleet.jobs import Job
from metier.fleet.queue import QueuedJobs
from metier.fleet.worker import FleetWorker, WorkerPace
from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from dashboard_world import ServedDashboard


def test_a_workspace_with_a_file_as_its_store_is_told_how_to_get_a_fleet(shared: ServedDashboard) -> None:
    page = shared.get("/fleet").text
    assert "This workspace has no fleet" in page
    assert 'href="/fleet"' not in page  # nothing in the navigation
    assert shared.post("/fleet/17/retry").status == 404


@pytest.mark.xdist_group("postgresql")
def test_a_failed_job_is_shown_with_its_reason_tried_again_and_removed(new_postgres: str, tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    ws = Workspace.open(tmp_path / "shop", flags={"store": new_postgres})
    jobs = QueuedJobs(ws.context)

    def fails(_: Workspace, given: Mapping[str, object]) -> str:
        raise ValueError(f"it broke {HOSTILE}")

    jobs.put([Job(kind="count", key="first"), Job(kind="count", key="second")])
    for _ in range(3):
        with ws.context.store.write() as transaction:
            transaction.all("UPDATE procrastinate_jobs SET scheduled_at = NULL WHERE status = 'todo'")
        list(FleetWorker([ws], {"count": fails}, WorkerPace(once=True)).events())
    first, second = (one.job for one in jobs.status().failed)
    jobs.put([Job(kind="learn", key="third")])
    with serve_dashboard(ws) as served:
        page = served.get("/fleet").text
        assert "2 failed · 0 running · 1 waiting" in page
        assert "ValueError: it broke" in page
        assert "<script>alert" not in page
        assert "No worker is running" in page
        assert "waits for a worker again" in served.post(f"/fleet/{first}/retry").text
        assert served.post(f"/fleet/{first}/retry").status == 404
        done = json.loads(served.post(f"/fleet/{second}/drop").text)
        assert [one.key for one in jobs.status().waiting] == ["first", "third"]
        assert jobs.status().failed == ()
        assert served.post(f"/undo/{done['undo']}").status == 200
        assert [one.key for one in jobs.status().waiting] == ["first", "third", "second"]
        assert served.post("/fleet/no-number/drop").status == 404
