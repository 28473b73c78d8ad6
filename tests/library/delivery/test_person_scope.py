"""Lessons that hold in all projects of a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

import forked
import pytest

from metier.errors import RefusedError
from metier.hooks.tell import notes_now
from metier.library.delivery.notes_file import forget_person_note, other_projects, shared_notes
from metier.library.lessons import approve_lesson, edit_lesson, forget_lesson
from metier.store.tables.learning import lessons
from metier.types.lessons import Lesson
from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

RULE = "Use uv, not pip."


@pytest.fixture
def two(tmp_path: Path) -> Iterator[tuple[Workspace, Workspace]]:
    """Two projects of one person."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    with Workspace.open(tmp_path / "one") as one, Workspace.open(tmp_path / "two") as two:
        yield one, two


def rule(ws: Workspace, number: int = 1, text: str = RULE, **more: str) -> Lesson:
    found = Lesson(id=f"{number:012x}", workspace=ws.name, kind="rule", text=text, subject="pip uv", **more)
    with ws.context.store.write() as transaction:
        lessons.put(transaction, [found])
    return found


def told(ws: Workspace) -> list[str]:
    return [one.text for one in notes_now(str(ws.state))]


def test_a_lesson_for_all_projects_is_told_in_each_and_once_in_its_own(two: tuple[Workspace, Workspace]) -> None:
    one, other = two
    found = rule(one)
    approve_lesson(one.context, found.id)
    assert (told(one), told(other)) == ([RULE], [])
    approve_lesson(one.context, found.id, scope="person")
    assert (told(one), told(other)) == ([RULE], [RULE])
    edit_lesson(one.context, found.id, "Use uv.")
    assert told(other) == ["Use uv."]
    approve_lesson(one.context, found.id, scope="project")
    assert (told(one), told(other)) == (["Use uv."], [])
    approve_lesson(one.context, found.id, scope="person")
    forget_lesson(one.context, found.id)
    assert (told(one), told(other)) == ([], [])


def test_it_can_be_taken_back_from_any_project(two: tuple[Workspace, Workspace]) -> None:
    one, other = two
    approve_lesson(one.context, rule(one).id, scope="person")
    (note,) = shared_notes(other.context)
    assert "In use in all your projects" in forked.metier("lessons", "list", cwd=other.root).stdout
    done = forked.metier("lessons", "forget", note.id[:8], cwd=other.root)
    assert "no longer holds in all your projects" in done.stderr
    assert (told(one), told(other)) == ([RULE], [])
    assert forget_person_note(other.context, note.id) is None
    approve_lesson(one.context, rule(one, 2, "Be brief.").id)
    assert told(other) == [], "what happens in the first project does not bring it back"
    approve_lesson(one.context, note.id, scope="person")
    assert told(other) == [RULE]


def test_the_same_rule_in_a_second_project_is_offered_for_all(two: tuple[Workspace, Workspace]) -> None:
    one, other = two
    approve_lesson(one.context, rule(one).id)
    second = rule(other, 2, "Please use uv here.")
    assert other_projects(other.context, second) == [RULE]
    done = forked.metier("lessons", "approve", second.id[:8], cwd=other.root)
    assert f"metier lessons approve {second.id[:8]} --person" in done.stderr
    forked.metier("lessons", "approve", second.id[:8], "--person", cwd=other.root)
    assert told(one) == [RULE, "Please use uv here."]


def test_a_model_or_a_store_cannot_make_a_lesson_hold_everywhere(two: tuple[Workspace, Workspace]) -> None:
    one, other = two
    approve_lesson(one.context, rule(one, scope="person").id)
    assert told(other) == []
    from dataclasses import replace

    mine = next(iter(one.lessons()))
    with one.context.store.write() as transaction:
        lessons.put(transaction, [replace(mine, scope="person")])
    approve_lesson(one.context, rule(one, 7, "Be brief.").id)
    assert told(other) == []


def test_a_fact_of_one_project_holds_nowhere_else(two: tuple[Workspace, Workspace]) -> None:
    one, _ = two
    fact = Lesson(id="f" * 12, workspace=one.name, kind="fact", text="Test with `x`.", subject="test: x")
    with one.context.store.write() as transaction:
        lessons.put(transaction, [fact])
    with pytest.raises(RefusedError, match="fact about this project"):
        approve_lesson(one.context, fact.id, scope="person")
