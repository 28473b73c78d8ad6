"""Trials in the store, on both engines: a session enters once, keeps its side and its place, and a trial ends once."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from metier.errors import ConflictError, StoreError
from metier.store.tables.selection import selections, trials
from metier.store.tables.training import cases
from metier.types import Selection
from metier.types.proof import Trial
from metier.types.selections import Assignment
from metier.types.trials import Case

if TYPE_CHECKING:
    from collections.abc import Callable

    from metier.store.engines.engine import Engine, Transaction

TRIAL = Trial(
    id="t1",
    workspace="w",
    skill="deploy",
    hash="h",
    agents=("claude-code",),
    gain=0.2,
    most=10,
    until="2999",
    started="2",
)


def chosen(name: str, session: str, arm: str = "with") -> Selection:
    assigned = Assignment(trial="t1", skill="deploy", arm="with" if arm == "with" else "without")
    return Selection(id=name, workspace="w", query="q", session=session, created="2026", trials=(assigned,))


def test_a_session_enters_with_its_first_selection_and_never_changes_sides(engine: Engine) -> None:
    with engine.write() as transaction:
        trials.put(transaction, TRIAL)
        for made in (chosen("a", "s1"), chosen("b", "s2", "without"), chosen("c", "s1", "without"), chosen("a", "s1")):
            selections.put(transaction, made)
        found = trials.sessions(transaction, TRIAL)
    assert [(one.session, one.arm, one.selection, one.position, one.went) for one in found] == [
        ("s1", "with", "a", None, None),
        ("s2", "without", "b", None, None),
    ]


def test_places_are_given_in_the_order_in_which_outcomes_become_known(engine: Engine) -> None:
    with engine.write() as transaction:
        trials.put(transaction, TRIAL)
        for number in range(3):
            selections.put(transaction, chosen(f"n{number}", f"s{number}"))
        trials.place(transaction, "t1", ["s2"])
        trials.place(transaction, "t1", ["s0", "s2"])
        found = {one.session: one.position for one in trials.sessions(transaction, TRIAL)}
    assert (found["s2"], found["s1"]) == (1, None)
    assert found["s0"] == 2


def test_one_trial_of_a_skill_runs_and_ends_once(engine: Engine) -> None:
    with engine.write() as transaction:
        trials.put(transaction, TRIAL)
        trials.put(transaction, replace(TRIAL, id="t0", status="stopped", started="1"))
        assert [one.id for one in trials.list_all(transaction)] == ["t1", "t0"]
    with pytest.raises(StoreError), engine.write() as transaction:
        trials.put(transaction, replace(TRIAL, id="t2"))
    with engine.write() as transaction:
        trials.end(transaction, replace(TRIAL, status="helps"))
    with pytest.raises(ConflictError), engine.write() as transaction:
        trials.end(transaction, replace(TRIAL, status="hurts"))


def test_a_case_moves_between_suites_and_goes_with_its_run(engine: Engine) -> None:
    case = Case(id="c1", input="q", origin="run:r1")
    with engine.write() as transaction:
        cases.put(transaction, cases.suite_of("proposed"), [case])
        cases.move(transaction, case, cases.suite_of("proposed"), cases.suite_of("accepted"))
        assert cases.list_all(transaction, cases.suite_of("proposed")) == []
        cases.forget_runs(transaction, ["other"])
        assert cases.list_all(transaction, cases.suite_of("accepted")) == [case]
        cases.forget_runs(transaction, ["r1"])
        assert cases.list_all(transaction, cases.suite_of("accepted")) == []


class KilledError(Exception):
    """Stands for the end of a process."""


def dies(engine: Engine, work: Callable[[Transaction], None]) -> None:
    """Do some work in a transaction that never gets to its end."""
    with suppress(KilledError), engine.write() as transaction:
        work(transaction)
        raise KilledError


def test_what_dies_half_way_leaves_neither_a_side_nor_a_place(engine: Engine) -> None:
    with engine.write() as transaction:
        trials.put(transaction, TRIAL)
    dies(engine, lambda transaction: selections.put(transaction, chosen("a", "s1")))
    with engine.read() as transaction:
        assert (trials.sessions(transaction, TRIAL), selections.list_all(transaction)) == ([], [])
    with engine.write() as transaction:
        selections.put(transaction, chosen("a", "s1"))
        selections.put(transaction, chosen("b", "s2"))
    dies(engine, lambda transaction: trials.place(transaction, "t1", ["s2"]))
    dies(engine, lambda transaction: trials.end(transaction, replace(TRIAL, status="helps")))
    with engine.write() as transaction:
        trials.place(transaction, "t1", ["s1", "s2"])
        found = {one.session: (one.arm, one.position) for one in trials.sessions(transaction, TRIAL)}
        assert found == {"s1": ("with", 1), "s2": ("with", 2)}
        assert [one.status for one in trials.list_all(transaction)] == ["running"]


def test_two_who_look_at_once_give_every_outcome_one_place(engine: Engine) -> None:
    names = [f"s{number}" for number in range(12)]
    with engine.write() as transaction:
        trials.put(transaction, TRIAL)
        for name in names:
            selections.put(transaction, chosen(name, name))
    gate = threading.Barrier(2, timeout=20)

    def look(part: list[str]) -> None:
        gate.wait(60)
        with engine.write() as transaction:
            trials.place(transaction, "t1", part)

    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(look, names[:8]), pool.submit(look, names[4:])]:
            done.result(timeout=30)
    with engine.read() as transaction:
        assert sorted(one.position or 0 for one in trials.sessions(transaction, TRIAL)) == list(range(1, 13))


def test_a_shared_store_keeps_its_first_key(engine: Engine) -> None:
    with engine.write() as transaction:
        assert trials.shared_key(transaction) == b""
        trials.make_key(transaction, b"first")
        trials.make_key(transaction, b"second")
        assert trials.shared_key(transaction) == b"first"
