"""The same pass on both engines, and twice: the same runs make the same patterns, drafts and bytes."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest
from learn_world import (
    ALONE,
    REPORTS,
    TESTS,
    Clock,
    all_drafts,
    all_patterns,
    documents,
    everything,
    failed,
    learned,
    opened,
    task,
    with_steps,
)
from states import made_state, state_of

from metier.errors import BusyError
from metier.learning.learn import learn
from metier.maintenance.retention import remove_runs
from metier.runs.verdicts import mark_run
from metier.types import Run

if TYPE_CHECKING:
    from pathlib import Path

    from metier.workspace import Workspace

FREEZE = "python tools/freeze_clock.py --all"


def worked(ws: Workspace) -> list[str]:
    """A few weeks: three passes with runs before each, a mark, a removal."""
    alone = [Run(message=one, output="Done.", status="completed", external_id=one) for one in ALONE]
    ws.deliver([*task(TESTS, 0, 3), *alone])
    learned(ws)
    ws.deliver([*with_steps(task(TESTS, 3, 3), FREEZE), *failed(task(REPORTS, 0, 1)), *task(REPORTS, 1, 4)])
    learned(ws)
    ids = [one.id for one in reversed(ws.runs(limit=100))]
    mark_run(ws.context, ids[0], "bad")
    list(remove_runs(ws.context, [ids[1]], "test"))
    result = learned(ws)
    return [one.what for one in result.taken]


@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgresql", marks=pytest.mark.xdist_group("postgresql"))])
def test_a_pass_works_on_both_engines(tmp_path: Path, kind: str, request: pytest.FixtureRequest) -> None:
    store = request.getfixturevalue("new_postgres") if kind == "postgresql" else ""
    with opened(tmp_path / "p", Clock(), mode="apply", store=store) as ws:
        worked(ws)
        assert sorted((one.successes, one.failures) for one in all_patterns(ws)) == [(4, 1), (4, 1)]
        assert {one.status for one in all_drafts(ws)} == {"accepted"}
        assert len(documents(ws)) == 2
        assert FREEZE in "".join(documents(ws).values())
        assert learned(ws).taken == ()


@pytest.mark.xdist_group("postgresql")
def test_at_a_server_one_learner_waits_for_another_and_is_told(tmp_path: Path, new_postgres: str) -> None:
    with opened(tmp_path / "p", store=new_postgres) as ws, opened(tmp_path / "p", store=new_postgres) as other:
        ws.deliver(task(TESTS))
        steps = learn(ws.library)
        next(steps)
        with pytest.raises(BusyError, match="Another learn is running"):
            learned(other)
        list(steps)
        assert learned(other).evidence == 0


def copied(base: Path, folder: Path) -> Workspace:
    """Another workspace of the same name and key, which has recorded nothing yet."""
    folder.mkdir(parents=True)
    shutil.copy(state_of(base) / "workspace", made_state(folder) / "workspace")
    return opened(folder, Clock(), mode="apply")


def test_the_same_runs_in_the_same_order_make_the_same_bytes_in_two_folders(tmp_path: Path) -> None:
    opened(tmp_path / "base").close()
    with copied(tmp_path / "base", tmp_path / "one") as one, copied(tmp_path / "base", tmp_path / "far/two") as two:
        assert worked(one) == worked(two)
        assert everything(one) == everything(two)
        assert [draft.created for draft in all_drafts(one)] == [draft.created for draft in all_drafts(two)]


def test_what_a_skill_says_does_not_depend_on_the_workspaces_name(tmp_path: Path) -> None:
    with opened(tmp_path / "one", Clock(), mode="apply") as one, opened(tmp_path / "two", Clock(), mode="apply") as two:
        worked(one)
        worked(two)
        assert one.name != two.name
        assert documents(one) == documents(two)
        assert [pattern.label for pattern in all_patterns(one)] == [pattern.label for pattern in all_patterns(two)]


def test_a_pass_leaves_no_file_behind_but_the_store_the_lock_and_the_history(tmp_path: Path) -> None:
    with opened(tmp_path / "p", Clock(), mode="apply") as ws:
        before = set(os.listdir(ws.state))
        ws.deliver(task(TESTS))
        learned(ws)
        new = {name for name in os.listdir(ws.state) if name not in before}
        assert new <= {
            "learn.lock",
            "objects",
            "versions",
            "journal",
            "notes.lock",
            "staging",
            "library.lock",
        }
        assert os.listdir(ws.state / "journal") == []
