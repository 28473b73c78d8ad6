"""What a rule forbids is not proposed beside it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from metier.errors import RefusedError
from metier.learning.lessons.vetting import without_contradictions
from metier.library.lessons import approve_lesson, forget_lesson, get_lesson, list_lessons
from metier.store.tables.learning import lessons
from metier.types.lessons import Lesson, LessonCheck

if TYPE_CHECKING:
    from metier.workspace import Workspace

RULE = Lesson(
    id="r",
    workspace="w",
    kind="rule",
    text="Use uv, not pip.",
    subject="pip uv",
    check=LessonCheck(program=("pip",), instead="uv"),
)
FACT = Lesson(
    id="a", workspace="w", kind="fact", text="Install what the project needs with `pip install -e .`.", subject="x"
)
FIX = replace(FACT, id="f", kind="fix", text="When `pytest` fails with “No module”: run `pip install -e .` first.")
RIGHT = replace(FIX, id="g", text="When `pip install` fails with “externally managed”: `uv pip install NAME`")


def kept(*lessons: Lesson) -> list[str]:
    return [one.id for one in without_contradictions(lessons)]


def test_facts_and_fixes_that_a_rule_forbids_are_left_out() -> None:
    assert kept(RULE, FACT, FIX, RIGHT) == ["r", "g"]
    assert kept(replace(RULE, status="approved"), FACT, FIX) == ["r"]


def test_they_stay_where_the_rule_was_refused_or_they_were_approved() -> None:
    assert kept(replace(RULE, status="rejected"), FACT, FIX) == ["r", "a", "f"]
    assert kept(RULE, replace(FACT, status="approved")) == ["r", "a"]
    assert kept(replace(RULE, check=None), FACT) == ["r", "a"]


def test_a_path_that_must_not_be_touched_forbids_too() -> None:
    secret = replace(RULE, check=LessonCheck(path="vendor/"))
    assert kept(secret, replace(FACT, text="Run the tests with `pytest vendor/x`.")) == ["r"]


def put(ws: Workspace, *found: Lesson) -> None:
    with ws.context.store.write() as transaction:
        lessons.put(transaction, [replace(one, workspace=ws.name) for one in found])


def test_a_fact_that_a_rule_in_use_forbids_cannot_be_approved(ws: Workspace) -> None:
    put(ws, RULE)
    approve_lesson(ws.context, "r", step="deny")
    put(ws, FACT)
    with pytest.raises(
        RefusedError, match=r"Your rule r forbids what lesson a says to run: Use uv, not pip\..*forget r"
    ):
        approve_lesson(ws.context, "a")
    forget_lesson(ws.context, "r")
    assert approve_lesson(ws.context, "a").status == "approved"


def test_approving_a_rule_withdraws_what_it_forbids_and_pauses_what_is_in_use(ws: Workspace) -> None:
    put(ws, RULE, FACT, FIX, RIGHT)
    approve_lesson(ws.context, "a")
    approve_lesson(ws.context, "r")
    found = {one.id: one.status for one in list_lessons(ws.context, every=True)}
    assert found == {"a": "paused", "g": "proposed", "r": "approved"}
    assert get_lesson(ws.context, "a").note == "your rule forbids it: Use uv, not pip."
