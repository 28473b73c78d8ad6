"""Obeyed, came back, and the stories of lessons and skills: what runs show, with the runs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from learn_world import Clock, learned, opened

from metier.learning.lessons.tally import Rate, SessionCalls, Tally
from metier.library.lessons import approve_lesson, edit_lesson, list_lessons
from metier.proof.came_back import came_back
from metier.proof.lesson_story import lesson_story
from metier.proof.obeyed import change_row, change_words, obeyed_change
from metier.proof.skill_story import skill_story
from metier.selection.assembly.token_budget import tokens
from metier.store.tables.learning import told
from metier.types import Provenance, Run, ToolCall
from metier.types.lessons import ToldLesson
from metier.types.skills import Version

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from metier.types.lessons import Lesson
    from metier.workspace import Workspace

ERROR = "error: either --session or --path must be provided"


def troubled(number: int, at: str, *, fails: bool = True) -> Run:
    """A session that opens a pull request, in the wrong way first or in the right one."""
    wrong = ToolCall(name="Bash", ok=False, input="tool pr", output=ERROR)
    right = ToolCall(name="Bash", input="tool pr --path .", output="ok")
    return Run(
        message=f"open the pull request {number}",
        output="It is open.",
        status="completed",
        session=f"s{number}",
        external_id=f"r{number}",
        started=at,
        tools=(wrong, right) if fails else (right, right),
    )


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def shop(tmp_path: Path, clock: Clock) -> Iterator[Workspace]:
    """A workspace that learned a fix from four sessions and uses it."""
    with opened(tmp_path / "shop", clock) as ws:
        ws.deliver(troubled(number, ws.context.now()) for number in range(4))
        learned(ws)
        approve_lesson(ws.context, fix(ws).id)
        clock.later(days=1)
        yield ws


def fix(ws: Workspace) -> Lesson:
    (found,) = [one for one in list_lessons(ws.context) if one.kind == "fix"]
    return found


def later(ws: Workspace, *runs: Run) -> None:
    ws.deliver(runs)
    learned(ws)


def test_a_change_is_named_from_five_calls_on_either_side() -> None:
    few = Tally(
        before=Rate(applies=9, violated=6),
        after=Rate(applies=4),
        sessions_before=(SessionCalls(6, 9),),
        sessions_after=(SessionCalls(0, 4),),
    )
    assert (obeyed_change(few), change_row(few)) == (None, None)
    assert "5 before and 5 since are needed" in change_words(few)
    enough = Tally(
        before=Rate(applies=20, violated=10),
        after=Rate(applies=20),
        sessions_before=(SessionCalls(1, 2),) * 10,
        sessions_after=(SessionCalls(0, 2),) * 10,
    )
    found = change_row(enough)
    assert found
    assert (found["points"], found["meaning"]) == (-50.0, "before and after, not causal")
    assert change_words(enough).startswith("-50 points (")


def test_calls_are_counted_by_session(shop: Workspace) -> None:
    later(shop, *(troubled(number, shop.context.now(), fails=False) for number in range(10, 13)))
    checked = lesson_story(shop.context, fix(shop).id).checked
    assert checked
    assert checked.sessions_before == (SessionCalls(1, 2),) * 4
    assert checked.sessions_after == (SessionCalls(0, 2),) * 3
    change = obeyed_change(checked)
    assert change
    assert change.change == -0.5


def test_an_error_that_appears_again_came_back_with_its_run(shop: Workspace, clock: Clock) -> None:
    lesson = fix(shop)
    assert came_back(shop.context, lesson)
    assert not came_back(shop.context, lesson).again  # type: ignore[union-attr]
    later(shop, troubled(20, shop.context.now(), fails=False))
    assert not came_back(shop.context, lesson).again  # type: ignore[union-attr]
    clock.later(hours=1)
    with shop.context.store.write() as transaction:
        told.add(
            transaction,
            [ToldLesson(lesson=lesson.id, session="s21", request="", how="fix", created=shop.context.now())],
        )
    clock.later(hours=1)
    later(shop, troubled(21, shop.context.now()), troubled(22, shop.context.now()))
    found = came_back(shop.context, lesson)
    assert found
    assert (found.told_sessions, found.sessions) == (1, 2)
    assert found.since == lesson.approved, "it is watched from the yes on, however late it was first told"
    assert {(one.session, one.told) for one in found.again} == {("s21", True), ("s22", False)}
    assert all("must be provided" in one.text for one in found.again)


def test_what_nobody_approved_has_nothing_to_come_back_to(tmp_path: Path) -> None:
    with opened(tmp_path / "new", Clock()) as ws:
        ws.deliver(troubled(number, ws.context.now()) for number in range(2))
        learned(ws)
        assert came_back(ws.context, fix(ws)) is None


def test_the_story_of_a_lesson_holds_decisions_telling_and_cost(shop: Workspace) -> None:
    lesson = fix(shop)
    story = lesson_story(shop.context, lesson.id[:6])
    assert [one.action for one in story.decisions] == ["approve lesson (observe)"]
    assert (story.channel, story.told, story.tokens) == ("after", (), 0)
    with shop.context.store.write() as transaction:
        given = ToldLesson(lesson=lesson.id, session="s9", request="", how="fix", created=shop.context.now())
        told.add(transaction, [given, given])
    story = lesson_story(shop.context, lesson.id)
    assert (story.told, story.told_sessions) == ((("fix", 2),), 1)
    said = f"Notes from earlier work here, for reference:\n- {lesson.text}"
    assert story.tokens == 2 * tokens(said)


def test_what_was_told_costs_what_it_said_at_that_time(shop: Workspace, clock: Clock) -> None:
    lesson = fix(shop)
    with shop.context.store.write() as transaction:
        given = ToldLesson(lesson=lesson.id, session="s9", request="", how="fix", created=shop.context.now())
        told.add(transaction, [given])
    before = lesson_story(shop.context, lesson.id).tokens
    clock.later(hours=1)
    edit_lesson(shop.context, lesson.id, "Short.")
    assert lesson_story(shop.context, lesson.id).tokens == before
    clock.later(hours=1)
    with shop.context.store.write() as transaction:
        told.add(transaction, [replace(given, created=shop.context.now())])
    short = "Notes from earlier work here, for reference:\n- Short."
    assert lesson_story(shop.context, lesson.id).tokens == before + tokens(short)


def test_the_story_of_a_skill_holds_its_versions_and_every_line(ws: Workspace) -> None:
    folder = ws.root / ".agents/skills/deploy"
    folder.mkdir(parents=True)
    text = "---\nname: deploy\ndescription: Ships the shop.\n---\n\n# Deploy\n\nRun it.\n"
    (folder / "SKILL.md").write_text(text, encoding="utf-8")
    ws.record_hand_edits()
    (folder / "SKILL.md").write_text(text + "Look at the log.\n", encoding="utf-8")
    ws.record_hand_edits()
    story = skill_story(ws.library, "deploy")
    assert [one.number for one in story.versions] == [1, 2]
    assert {one.text: one.version.number for one in story.lines}["Look at the log."] == 2
    assert (story.runs, story.trials, story.tokens_given) == ((), (), 0)
    assert story.body_tokens > 10


@pytest.mark.parametrize(
    ("receipt", "shown"),
    [
        ("accept: +20.0 points on 40 fresh cases", 0.2),
        ("force_accept: approved by a person; accept: +20.0 points on 40 fresh cases", 0.2),
        ("force_accept: approved by a person", None),
        ("uninformative: 1 fresh case cannot accept anything: metier", None),
        ("", None),
    ],
)
def test_a_version_shows_only_a_gain_that_its_gate_accepted(receipt: str, shown: float | None) -> None:
    version = Version(skill="a", root="r", number=1, hash="h", gain=0.2, receipt=receipt)
    assert version.proven_gain == shown


@pytest.mark.parametrize(
    ("actor", "receipt", "who"),
    [
        ("ada", "force_accept: approved by a person", "ada"),
        ("scripted", "force_accept: approved by a person", "a person"),
        ("scripted", "force_accept: a person applied it", "a person"),
        ("scripted", "accept: replay on chat: +20.0 points", "metier"),
    ],
)
def test_a_version_names_who_decided_and_not_the_model_that_wrote_it(actor: str, receipt: str, who: str) -> None:
    wrote = Provenance(model="scripted")
    assert Version(skill="a", root="r", number=1, hash="h", actor=actor, receipt=receipt, provenance=wrote).who == who
