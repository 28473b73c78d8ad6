from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from scoping import in_workspace

from metier.errors import NotFoundError, RefusedError
from metier.runs.derive import record_of
from metier.store.tables.runs import full_text as search
from metier.store.tables.runs import runs, verdicts
from metier.types import Outcome, Passage, Record, Run, ShownSkill, SkillTrace, Snapshot, Tokens, ToolCall, Verdict

if TYPE_CHECKING:
    from metier.store.engines.engine import Engine

NOW = "2026-01-05T12:00:00Z"
FULL = Run(
    message="Größe ändern: ñ 漢字 🚢",
    output="done",
    status="completed",
    external_id="x-1",
    session="s-1",
    source="claude-code",
    agent="claude-code",
    model="m",
    tools=(ToolCall(name="Bash", ok=False, input="ls", output="", error="no", skills=("a",), said="I look"),),
    context=(Passage(origin="web", text="page"),),
    skills=SkillTrace(active=("a",), attempted=("b",), path=("a",), shown=(ShownSkill(name="a", body="# A"),)),
    snapshots=(Snapshot(sequence=1, trigger="initial_build", skills=("a",)),),
    tokens=Tokens(input=1, output=2, cache_read=3, cache_write=4),
    cost_usd=0.25,
    started="2026-01-05T11:00:00Z",
    ended="2026-01-05T11:30:00Z",
    outcome=Outcome(success=True, by="test", reason="green"),
    correction="no, the other one",
)


def kept(engine: Engine, *given: Run, workspace: str = "w") -> list[runs.StoredRun]:
    with engine.write() as transaction:
        return runs.keep(transaction, [record_of(run, workspace, NOW) for run in given])


def stored(engine: Engine, workspace: str = "w") -> list[Record]:
    with engine.read() as transaction:
        return runs.page(in_workspace(transaction, workspace), limit=100)


def test_a_run_comes_back_as_it_was(engine: Engine) -> None:
    kept(engine, FULL)
    [record] = stored(engine)
    assert record.run == FULL
    assert (record.success, record.used, record.state, record.revision) == (True, ("a",), "new", 1)


def test_the_same_content_again_is_a_duplicate(engine: Engine) -> None:
    assert [one.how for one in kept(engine, FULL, FULL)] == ["new", "duplicate"]
    assert [one.how for one in kept(engine, FULL)] == ["duplicate"]
    assert len(stored(engine)) == 1


def test_more_content_for_the_same_run_is_an_update_that_clears_what_was_thought_of_it(engine: Engine) -> None:
    [first] = kept(engine, FULL)
    with engine.write() as transaction:
        verdicts.put(transaction, Verdict(run=first.id, success=True, reason="", judge="heuristic", decided=NOW))
        transaction.all("UPDATE runs SET state = 'clustered'")
    [again] = kept(engine, replace(FULL, output="done, and more"))
    assert (again.how, again.id) == ("updated", first.id)
    [record] = stored(engine)
    assert (record.revision, record.state, record.run.output) == (2, "new", "done, and more")
    with engine.read() as transaction:
        assert verdicts.get(transaction, first.id) is None


def test_an_update_inside_one_batch_follows_its_first_delivery(engine: Engine) -> None:
    hows = [one.how for one in kept(engine, FULL, replace(FULL, output="more"), replace(FULL, output="more"))]
    assert hows == ["new", "updated", "duplicate"]


@pytest.mark.parametrize(
    "other",
    [{"session": "s-2"}, {"source": "codex"}, {"message": "another"}, {"external_id": "x-2"}],
    ids=["session", "source", "message", "external id"],
)
def test_runs_that_differ_in_identity_are_two(engine: Engine, other: dict[str, str]) -> None:
    kept(engine, FULL, replace(FULL, **other))
    assert len(stored(engine)) == 2


def test_workspaces_in_one_store_do_not_see_each_other(engine: Engine) -> None:
    [mine] = kept(engine, FULL, workspace="a")
    kept(engine, FULL, workspace="b")
    assert len(stored(engine, "a")) == len(stored(engine, "b")) == 1
    with engine.read() as transaction, pytest.raises(NotFoundError):
        runs.get(in_workspace(transaction, "b"), mine.id)


def test_runs_are_listed_newest_first_by_arrival_not_by_clock(engine: Engine) -> None:
    kept(engine, *(replace(FULL, external_id=str(n), started=f"20{20 - n}-01-01T00:00:00Z") for n in range(5)))
    assert [record.run.external_id for record in stored(engine)] == ["4", "3", "2", "1", "0"]


def test_a_run_is_found_by_the_beginning_of_its_id(engine: Engine) -> None:
    [one] = kept(engine, FULL)
    with engine.read() as transaction:
        assert runs.get(transaction, one.id[:5]).id == one.id
        assert runs.get(transaction, one.id.upper()).id == one.id
        for wrong in ("", "zz", "%", "_", one.id[:-1] + "x", "0" * 25):
            with pytest.raises(NotFoundError, match="metier runs list"):
                runs.get(transaction, wrong)


def test_an_ambiguous_beginning_is_refused(engine: Engine) -> None:
    kept(engine, *(replace(FULL, external_id=str(number)) for number in range(40)))
    firsts = [record.id[0] for record in stored(engine)]
    shared = next(first for first in firsts if firsts.count(first) > 1)
    with engine.read() as transaction, pytest.raises(RefusedError, match="more than one"):
        runs.get(transaction, shared)


def test_a_removed_run_is_gone_and_stays_away_until_readmitted(engine: Engine) -> None:
    [one] = kept(engine, FULL)
    with engine.write() as transaction:
        search.catch_up(transaction)
        verdicts.put(transaction, Verdict(run=one.id, success=True, reason="", judge="person", decided=NOW))
        assert runs.remove(transaction, [one.id], NOW) == 1
    assert stored(engine) == []
    with engine.read() as transaction:
        assert verdicts.get(transaction, one.id) is None
        assert search.search(transaction, "done", 10) == []
    assert [again.how for again in kept(engine, FULL)] == ["removed"]
    with engine.write() as transaction:
        assert runs.readmit(transaction, one.id)
        assert not runs.readmit(transaction, one.id)
    assert [again.how for again in kept(engine, FULL)] == ["new"]


def test_another_workspace_cannot_remove_a_run(engine: Engine) -> None:
    [one] = kept(engine, FULL)
    with engine.write() as transaction:
        assert runs.remove(in_workspace(transaction, "other"), [one.id], NOW) == 0
    assert len(stored(engine)) == 1
