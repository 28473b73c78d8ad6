"""Toward safety only: what stops working is paused with its reason, and a person's word begins the count anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from learn_world import Clock, learned, opened

from metier.library.lessons import approve_lesson, list_lessons
from metier.library.proposals.drafts import approve_draft
from metier.library.proposals.hand_in import hand_in_document
from metier.library.proposals.ship import apply_drafts
from metier.proof.safety import failing_more, less_obeyed, overridden, pause_unsafe
from metier.selection.worth.outcomes import update_worths
from metier.store.tables.learning import told
from metier.store.tables.selection import selections
from metier.types import Outcome, Run, Selection, ToolCall
from metier.types.lessons import ToldLesson

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from metier.types.lessons import Lesson
    from metier.workspace import Workspace

ERROR = "error: either --session or --path must be provided"
DOCUMENT = "---\nname: deploy\ndescription: Ships the shop. Use when a release is ready.\n---\n\n# Deploy\n\nSay it.\n"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def shop(tmp_path: Path, clock: Clock) -> Iterator[Workspace]:
    """A workspace with an approved fix that calls are held to, and a skill."""
    folder = tmp_path / "shop"
    (folder / ".agents/skills/deploy").mkdir(parents=True)
    (folder / ".agents/skills/deploy/SKILL.md").write_text(DOCUMENT, encoding="utf-8")
    with opened(folder, clock) as ws:
        ws.record_hand_edits()
        calls(ws, "first", 4, wrong=True)
        learned(ws)
        approve_lesson(ws.context, fix(ws).id)
        clock.later(hours=1)
        yield ws


def fix(ws: Workspace) -> Lesson:
    (found,) = [one for one in list_lessons(ws.context) if one.kind == "fix"]
    return found


def calls(ws: Workspace, name: str, sessions: int, *, wrong: bool) -> None:
    """Sessions with two calls each: a wrong one and a right one, or two right ones."""
    bad = ToolCall(name="Bash", ok=False, input="tool pr", output=ERROR)
    good = ToolCall(name="Bash", input="tool pr --path .", output="ok")
    ws.deliver(
        Run(
            message=f"open the pull request {name} {number}",
            output="It is open.",
            status="completed",
            session=f"{name}{number}",
            external_id=f"{name}{number}",
            started=ws.context.now(),
            tools=(bad if wrong else good, good),
        )
        for number in range(sessions)
    )


def tell(ws: Workspace, *sessions: str) -> None:
    with ws.context.store.write() as transaction:
        told.add(
            transaction,
            [
                ToldLesson(lesson=fix(ws).id, session=one, request="", how="start", created=ws.context.now())
                for one in sessions
            ],
        )


def served(ws: Workspace, name: str, runs: int, *, good: int, model: str = "m1") -> None:
    """Sessions that were given the skill; the first ones went well."""
    content = ws.skills()[0].hash
    with ws.context.store.write() as transaction:
        for number in range(runs):
            selections.put(
                transaction,
                Selection(
                    id=f"{name}{number}",
                    workspace=ws.name,
                    query=f"ship {name} {number}",
                    session=f"{name}{number}",
                    created=ws.context.now(),
                    chosen=("deploy",),
                    chosen_hashes=(content,),
                ),
            )
    ws.deliver(
        Run(
            message=f"ship {name} {number}",
            output="Done.",
            status="completed",
            session=f"{name}{number}",
            external_id=f"{name}{number}",
            model=model,
            selection=f"{name}{number}",
            outcome=Outcome(success=number < good, by="test"),
        )
        for number in range(runs)
    )
    update_worths(ws.context)


def test_a_lesson_that_agents_pass_over_again_and_again_is_paused_and_the_person_decides(
    shop: Workspace, clock: Clock
) -> None:
    tell(shop, "over0", "over1", "over2")
    calls(shop, "over", 2, wrong=True)
    assert overridden(shop.context, fix(shop)) == ""
    calls(shop, "over", 3, wrong=True)
    calls(shop, "untold", 9, wrong=True)
    [said] = pause_unsafe(shop.library)
    assert "acted against it in 3 sessions, and nobody objected" in said
    assert f"metier lessons approve {fix(shop).id[:8]}" in said
    assert fix(shop).status == "paused"
    clock.later(days=1)
    approve_lesson(shop.context, fix(shop).id)
    assert pause_unsafe(shop.library) == (), "a person's word begins the count anew"


def test_a_lesson_that_is_violated_more_often_than_before_is_paused(shop: Workspace, clock: Clock) -> None:
    calls(shop, "good", 30, wrong=False)
    clock.later(days=20)
    calls(shop, "fine", 6, wrong=False)
    assert less_obeyed(shop.context, fix(shop)) == ""
    calls(shop, "bad", 30, wrong=True)
    assert "violated more often than before" in less_obeyed(shop.context, fix(shop))
    [said] = pause_unsafe(shop.library)
    assert "before and after, not causal" in said


def test_a_learned_skill_whose_runs_fail_more_often_is_paused_and_a_persons_own_only_named(
    shop: Workspace, clock: Clock
) -> None:
    clock.later(hours=1)
    served(shop, "old", 20, good=19)
    clock.later(days=20)
    served(shop, "new", 20, good=18)
    assert failing_more(shop.library, shop.skills()[0]) == ""
    served(shop, "worse", 25, good=1)
    [said] = pause_unsafe(shop.library)
    assert "fail more often than before" in said
    assert "It is yours, so it stays in use" in said
    assert shop.skills()[0].status == "active"


def test_a_new_model_under_which_runs_fail_is_named(shop: Workspace, clock: Clock) -> None:
    clock.later(hours=1)
    served(shop, "old", 20, good=19, model="opus-1")
    served(shop, "new", 20, good=4, model="opus-2")
    assert "since opus-2" in failing_more(shop.library, shop.skills()[0])


def test_a_skill_that_metier_brought_is_taken_out_of_sight(tmp_path: Path, clock: Clock) -> None:
    with opened(tmp_path / "own", clock) as ws:
        draft = hand_in_document(ws.library, "deploy", DOCUMENT, "new")
        approve_draft(ws.library, draft.id)
        apply_drafts(ws.library, [draft.id])
        clock.later(hours=1)
        served(ws, "old", 20, good=20)
        clock.later(days=20)
        served(ws, "new", 20, good=2)
        [said] = pause_unsafe(ws.library)
        assert "Undo: metier skills restore deploy" in said
        assert ws.history("deploy")[-1].status == "archived"
        assert ws.restore("deploy").status == "active"
        clock.later(days=1)
        assert pause_unsafe(ws.library) == (), "a person's word begins the count anew"


def test_many_runs_are_read_once_a_day(shop: Workspace, clock: Clock) -> None:
    clock.later(hours=1)
    served(shop, "old", 20, good=19)
    clock.later(days=20)
    assert pause_unsafe(shop.library) == ()
    served(shop, "worse", 25, good=1)
    assert pause_unsafe(shop.library) == ()
    clock.later(days=1)
    assert len(pause_unsafe(shop.library)) == 1
