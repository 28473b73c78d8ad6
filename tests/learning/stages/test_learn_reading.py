"""What a pass has read is used again only as long as it is what the store has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learn_world import TESTS, task

from metier.learning.stages.read_runs import RunCache
from metier.maintenance.retention import remove_runs
from metier.store.tables.runs import runs

if TYPE_CHECKING:
    from metier.types import Record, Run
    from metier.workspace import Workspace


def stored(ws: Workspace) -> list[Record]:
    with ws.context.store.read() as transaction:
        return runs.new_runs(transaction)


def taken(ws: Workspace, read: RunCache, ids: list[str]) -> dict[str, Run]:
    with ws.context.store.read() as transaction:
        found = runs.get_current(transaction, ids, read.kept)
    read.drop(ids)
    return {record.id: record.run for record in found}


def test_a_run_that_was_read_is_not_read_again(ws: Workspace) -> None:
    ws.deliver(task(TESTS, 0, 3))
    records = stored(ws)
    read = RunCache()
    read.keep(records[:2])
    found = taken(ws, read, [record.id for record in records])
    assert found == {record.id: record.run for record in records}
    assert [found[record.id] is record.run for record in records] == [True, True, False]
    assert (read.kept, read.room) == ({}, RunCache().room)


def test_a_run_that_grew_meanwhile_is_read_as_it_is_now(ws: Workspace) -> None:
    (run,) = task(TESTS, 0, 1, external_id="one", session="s")
    ws.deliver([run])
    (before,) = stored(ws)
    read = RunCache()
    read.keep([before])
    (more,) = task(TESTS, 0, 1, external_id="one", session="s", output="Done, and more.")
    ws.deliver([more])
    assert taken(ws, read, [before.id])[before.id].output == "Done, and more."


def test_a_run_that_was_removed_meanwhile_is_gone(ws: Workspace) -> None:
    ws.deliver(task(TESTS, 0, 2))
    first, second = stored(ws)
    read = RunCache()
    read.keep([first, second])
    list(remove_runs(ws.context, [first.id], "not wanted"))
    assert list(taken(ws, read, [first.id, second.id])) == [second.id]


def test_no_more_is_kept_than_there_is_room_for(ws: Workspace) -> None:
    ws.deliver(task(TESTS, 0, 3))
    read = RunCache(room=5_000)
    read.keep(stored(ws))
    assert 1 <= len(read.kept) < 3
    assert read.room >= 0
