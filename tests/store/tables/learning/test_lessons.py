"""Lessons and sightings in the store, on both engines."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from scoping import in_workspace

from metier.errors import ConflictError
from metier.runs.derive import record_of
from metier.store.tables.learning import lessons, sightings
from metier.store.tables.runs import runs
from metier.types import Run
from metier.types.lessons import Lesson, Quote
from metier.types.sightings import Catch, Repair

if TYPE_CHECKING:
    from metier.store.engines.engine import Engine
    from metier.types import Record

ONE, TWO = Catch(programs=("git",)), Catch()
NOW = "2026-01-05T12:00:00Z"
LESSON = Lesson(
    id="3f9a0c5b7d2e",
    workspace="w",
    kind="fix",
    text="When `a` fails with “schön”: `b`",
    subject="a: schön",
    quotes=(Quote(run="r", text="b", origin="action"),),
)


def stored(session: str, number: int) -> Record:
    return record_of(Run(message=f"do {number}", session=session, external_id=str(number)), "w", NOW)


def test_a_lesson_comes_back_as_it_was(engine: Engine) -> None:
    with engine.write() as transaction:
        lessons.put(transaction, [LESSON])
        assert lessons.list_all(transaction) == [LESSON]
        assert lessons.starting_with(transaction, "3f9a") == [LESSON]
        assert lessons.starting_with(transaction, "77") == []
        assert lessons.list_all(in_workspace(transaction, "other")) == []


def test_new_proposals_take_the_place_of_old_ones_and_no_decision_is_lost(engine: Engine) -> None:
    approved = replace(LESSON, id="aaaa", status="approved")
    with engine.write() as transaction:
        lessons.put(transaction, [LESSON, approved])
        other = replace(LESSON, id="bbbb")
        lessons.replace_proposals(transaction, [other, replace(approved, status="proposed")])
        assert lessons.list_all(transaction) == [approved, other]


def test_a_decision_on_other_words_is_refused(engine: Engine) -> None:
    with engine.write() as transaction:
        lessons.put(transaction, [replace(LESSON, text="other words")])
        with pytest.raises(ConflictError, match="changed meanwhile"):
            lessons.move(transaction, LESSON, replace(LESSON, status="approved"))


def test_repairs_are_listed_of_the_sessions_that_have_some(engine: Engine) -> None:
    repair = Repair(run="r", session="one", moment=NOW, program="make", error="no rule", failed="make x")
    first, second = stored("one", 1), stored("two", 2)
    with engine.write() as transaction:
        runs.keep(transaction, [first, second])
        sightings.put(transaction, [first.id], 1, Catch(repairs=(repair,), programs=("make",)))
        sightings.put(transaction, [second.id], 2, ONE)
        assert sightings.list_repairs(transaction) == [repair]


def test_a_session_is_read_again_when_a_run_of_it_is_new_or_gone(engine: Engine) -> None:
    first, second, third = stored("one", 1), stored("one", 2), stored("two", 3)
    with engine.write() as transaction:
        runs.keep(transaction, [first, third])
        assert sightings.unread(transaction) == [[first.id], [third.id]]
        sightings.put(transaction, [first.id], 1, ONE)
        sightings.put(transaction, [third.id], 2, TWO)
        assert sightings.unread(transaction) == []
        assert sightings.list_all(transaction) == [ONE, TWO]
        before = sightings.fingerprint(transaction)
        runs.keep(transaction, [second])
        assert sightings.unread(transaction) == [[first.id, second.id]]
        runs.remove(transaction, [third.id], NOW)
        assert sightings.list_all(transaction) == [ONE]
        assert sightings.fingerprint(transaction) != before
