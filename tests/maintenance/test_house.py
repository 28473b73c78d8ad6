from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

import metier
from metier.errors import NotFoundError
from metier.events import Noted
from metier.maintenance import retention as house
from metier.runs.verdicts import mark_run
from metier.store.tables import audit
from metier.store.tables.library import profiles
from metier.store.tables.runs import runs
from metier.store.tables.selection import selections
from metier.types import SkillTrace
from metier.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

RUN = metier.Run(message="fix the login test", external_id="1", status="completed", output="done")
WORD = "zanzibarquux"


def delivered(ws: Workspace, run: metier.Run) -> str:
    return ws.finish(run).id


def test_a_persons_word_wins_and_can_be_taken_back(ws: Workspace) -> None:
    run = delivered(ws, replace(RUN, skills=SkillTrace(path=("s",))))
    assert mark_run(ws.context, run[:6], "bad", "wrong file").success is False
    verdict = ws.verdict(run)
    assert verdict is not None
    assert (verdict.judge, verdict.success, verdict.reason) == ("person", False, "wrong file")
    with ws.context.store.read() as transaction:
        profile = profiles.get(transaction, "s")
        assert profile is not None
        assert (profile.successes, profile.failures) == (0, 1)
        assert [entry.action for entry in audit.list_all(transaction)] == ["mark bad"]
    assert mark_run(ws.context, run, "unset").success is True
    assert ws.verdict(run) is None


def test_a_removed_run_is_gone_from_every_byte_of_the_state(ws: Workspace) -> None:
    others = [replace(RUN, external_id=str(number), message=f"other run {number}") for number in range(300)]
    run = delivered(ws, replace(RUN, message=f"say {WORD}", output=f"{WORD} " * 3000))
    ws.deliver(others)
    assert len(ws.search(WORD)) == 1
    assert any(WORD.encode() in file.read_bytes() for file in ws.state.glob("metier.db*"))
    list(house.remove_runs(ws.context, [run], "private"))
    assert ws.search(WORD) == []
    assert len(ws.runs(1000)) == 300
    for file in ws.state.rglob("*"):
        assert file.is_dir() or WORD.encode() not in file.read_bytes(), file
    ws.close()
    assert not any(WORD.encode() in file.read_bytes() for file in ws.state.glob("metier.db*"))


def test_the_words_of_a_removed_run_are_gone_from_the_selections_made_for_it(ws: Workspace) -> None:
    ws.select("fix the zanzibar export", session="s1")
    run = delivered(ws, metier.Run(message="fix the zanzibar export", session="s1"))
    ws.select("something else")
    list(house.remove_runs(ws.context, [run], "private"))
    with ws.context.store.read() as transaction:
        assert sorted(one.query for one in selections.list_all(transaction)) == ["", "something else"]


def test_a_removed_run_does_not_come_back_until_it_is_readmitted(ws: Workspace) -> None:
    run = delivered(ws, RUN)
    list(house.remove_runs(ws.context, [run], ""))
    again = ws.finish(RUN)
    assert (again.how, "readmit" in again.reason) == ("skipped", True)
    house.readmit_run(ws.context, run)
    assert ws.finish(RUN).how == "new"
    with pytest.raises(NotFoundError):
        house.readmit_run(ws.context, run)


def test_runs_are_chosen_by_age_by_session_or_all(tmp_path: Path) -> None:
    times = iter([datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 3, 1, tzinfo=UTC)])
    current = [datetime(2026, 1, 1, tzinfo=UTC)]
    with Workspace.open(tmp_path, clock=lambda: current[0]) as ws:
        ids: list[str] = []
        for number, moment in enumerate(times):
            current[0] = moment
            ids.append(delivered(ws, replace(RUN, external_id=str(number), session=f"s{number}")))
        current[0] = datetime(2026, 3, 2, tzinfo=UTC)
        assert house.runs_to_remove(ws.context, older_than=30, session=None) == ids[:1]
        assert house.runs_to_remove(ws.context, older_than=None, session="s1") == ids[1:]
        assert house.runs_to_remove(ws.context, older_than=None, session=None) == ids


def test_old_runs_are_purged_once_a_day_when_asked_for(tmp_path: Path) -> None:
    current = [datetime(2026, 1, 1, tzinfo=UTC)]
    with Workspace.open(tmp_path, clock=lambda: current[0], flags={"retention_days": 30}) as ws:
        delivered(ws, RUN)
        list(ws.tidy())
        current[0] += timedelta(days=31)
        delivered(ws, replace(RUN, external_id="2"))
        list(ws.tidy())
        assert [record.run.external_id for record in ws.runs()] == ["2"]
        assert list(ws.tidy()) == []


def test_a_store_over_its_size_loses_its_oldest_runs(tmp_path: Path) -> None:
    with Workspace.open(tmp_path, flags={"max_disk_mb": 4}) as ws:
        for start in range(0, 1500, 500):
            numbers = range(start, start + 500)
            ws.deliver([replace(RUN, external_id=str(n), output=f"{n} " * 1200) for n in numbers])
        told = [event.text for event in ws.tidy() if isinstance(event, Noted)]
        assert "oldest runs: all take more than 4 MB (max_disk_mb)" in told[0]
        with ws.context.store.read() as transaction:
            assert runs.total_size(transaction) <= 4 * 2**20
        left = [int(record.run.external_id or "") for record in ws.runs(5000)]
        assert left
        assert left == list(range(1499, 1499 - len(left), -1))


def test_limits_touch_the_runs_of_their_own_workspace_only(tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path), "METIER_HOME": str(tmp_path / "shared")}
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    with Workspace.open(tmp_path / "a", environ=environ) as large:
        large.deliver([replace(RUN, external_id=str(n), output="x" * 6000) for n in range(400)])
        with Workspace.open(tmp_path / "b", environ=environ, flags={"max_disk_mb": 1}) as small:
            small.finish(RUN)
            list(small.tidy())
            assert len(small.runs()) == 1
        assert len(large.runs(1000)) == 400


def test_the_newest_run_is_never_removed_for_its_size(tmp_path: Path) -> None:
    with Workspace.open(tmp_path, flags={"max_disk_mb": 1}) as ws:
        ws.finish(replace(RUN, output="x" * 3_000_000))
        list(ws.tidy())
        assert len(ws.runs()) == 1


def test_a_reason_given_by_a_person_is_redacted_too(ws: Workspace) -> None:
    secret = "ghp" + "_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    mark_run(ws.context, delivered(ws, RUN), "bad", f"it printed {secret}")
    ws.close()
    assert not any(secret.encode() in file.read_bytes() for file in ws.state.glob("metier.db*"))
