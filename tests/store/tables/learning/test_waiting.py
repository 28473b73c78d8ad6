"""Runs that learning has looked at and that stay new, on both engines; and runs that changed since."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scoping import in_workspace

from metier.runs.derive import record_of
from metier.store.tables.learning import waiting
from metier.store.tables.run_keys import key_of
from metier.store.tables.runs import runs, verdicts
from metier.store.tables.runs.runs import SeenRun
from metier.types import Run, Verdict
from metier.types.grouping import WaitingRun

if TYPE_CHECKING:
    from metier.store.engines.engine import Engine, Transaction
    from metier.types import Record

NOW = "2026-01-05T12:00:00Z"


def recorded(transaction: Transaction, count: int) -> list[Record]:
    made = [
        record_of(Run(message=f"m{n}", external_id=str(n), session="s", status="completed"), "w", NOW)
        for n in range(count)
    ]
    runs.keep(transaction, made)
    return [runs.get(transaction, one.id) for one in made]


def test_what_waits_comes_back_and_is_not_fresh(engine: Engine) -> None:
    with engine.write() as transaction:
        first, second, third = (one.id for one in recorded(transaction, 3))
        evidence = WaitingRun(
            run=first, reason="alone", success=True, text="fix it", label="fix", embedder="e@1", vector=b"\0\x01\xff"
        )
        rejected = WaitingRun(run=second, reason="no summary")
        waiting.put(transaction, [evidence, rejected])
        assert waiting.evidence(transaction) == [evidence]
        assert waiting.evidence(in_workspace(transaction, "other")) == []
        assert [(one.run, one.reason) for one in waiting.list_all(transaction)] == [
            (first, "alone"),
            (second, "no summary"),
        ]
        assert waiting.get(transaction, second) == rejected
        assert waiting.get(transaction, third) is None
        assert [one.id for one in runs.new_runs(transaction)] == [third]
        assert runs.count_new(transaction) == 1
        assert waiting.which_wait(transaction, [first, third]) == {first}


def test_a_run_waits_under_its_newest_reason(engine: Engine) -> None:
    with engine.write() as transaction:
        (run,) = (one.id for one in recorded(transaction, 1))
        waiting.put(transaction, [WaitingRun(run=run, reason="one", success=False, text="t", vector=b"1")])
        waiting.put(transaction, [WaitingRun(run=run, reason="two")])
        assert waiting.get(transaction, run) == WaitingRun(run=run, reason="two")


def test_what_was_looked_at_can_be_forgotten(engine: Engine) -> None:
    with engine.write() as transaction:
        ids = [one.id for one in recorded(transaction, 3)]
        waiting.put(transaction, [WaitingRun(run=run, reason="x") for run in ids])
        waiting.drop(transaction, [key_of(ids[0])])
        assert runs.count_new(transaction) == 1
        waiting.forget(in_workspace(transaction, "other"))
        assert runs.count_new(transaction) == 1
        waiting.forget(transaction)
        assert runs.count_new(transaction) == 3


def test_a_run_that_changes_or_goes_does_not_wait_any_more(engine: Engine) -> None:
    with engine.write() as transaction:
        grown, marked, removed = recorded(transaction, 3)
        waiting.put(transaction, [WaitingRun(run=one.id, reason="x", text="t") for one in (grown, marked, removed)])
        runs.keep(transaction, [replace(grown, run=replace(grown.run, output="more"))])
        runs.set_success(transaction, marked.id, False)
        runs.remove(transaction, [removed.id], NOW)
        assert waiting.list_all(transaction) == []
        assert {one.id for one in runs.new_runs(transaction)} == {grown.id, marked.id}


def test_runs_are_fresh_in_their_order_a_part_at_a_time(engine: Engine) -> None:
    with engine.write() as transaction:
        made = recorded(transaction, 5)
        first = runs.new_runs(transaction, limit=2)
        assert [one.id for one in first] == [one.id for one in made[:2]]
        rest = runs.new_runs(transaction, after=first[-1].sequence, limit=10)
        assert [one.id for one in rest] == [one.id for one in made[2:]]


def test_it_is_known_which_runs_are_not_any_more_what_they_were(engine: Engine) -> None:
    with engine.write() as transaction:
        same, grown, marked, removed, judged = recorded(transaction, 5)
        verdict = Verdict(run=same.id, success=True, reason="r", judge="heuristic", decided=NOW)
        verdicts.put(transaction, verdict)
        seen = {one.id: SeenRun(one.revision, one.success) for one in (grown, marked, removed, judged)}
        seen[same.id] = SeenRun(same.revision, same.success, verdict)
        assert runs.changed_since(transaction, seen) == set()
        runs.keep(transaction, [replace(grown, run=replace(grown.run, output="more"))])
        runs.set_success(transaction, marked.id, False)
        runs.remove(transaction, [removed.id], NOW)
        verdicts.put(transaction, replace(verdict, run=judged.id, judge="person"))
        assert runs.changed_since(transaction, seen) == {grown.id, marked.id, removed.id, judged.id}
        assert same.id in runs.changed_since(in_workspace(transaction, "other"), seen)
