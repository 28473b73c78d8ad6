"""Near-duplicates as one: found, proposed with their routing or checks compared, never done unasked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from selection_shop import SKILLS, put, stocked

from metier.errors import NotFoundError, RefusedError
from metier.library.proposals.drafts import approve_draft
from metier.library.proposals.ship import apply_drafts
from metier.proof.merge import merge_lessons, near_lessons, near_skills, propose_merge
from metier.store.tables.learning import lessons
from metier.store.tables.library import profiles
from metier.types.lessons import Lesson, LessonCheck
from metier.types.skills import Profile

if TYPE_CHECKING:
    from metier.workspace import Workspace

ABOUT, BODY = SKILLS["flaky-tests"]
PIP = LessonCheck(program=("pip",), instead="uv")


@pytest.fixture
def shop(ws: Workspace) -> Workspace:
    """A workspace with a skill that is there twice, one time with a line more."""
    put(stocked(ws), "unstable-tests", ABOUT, f"{BODY}\n\n## Seeds\n\nFix the seed of the random numbers first.")
    ws.record_hand_edits()
    return ws


def lesson(name: str, text: str, **more: object) -> Lesson:
    given: dict[str, object] = {"kind": "rule", "subject": name, "status": "approved", "strength": 0.5}
    return Lesson(id=name * 12, workspace="w", text=text, **(given | more))  # type: ignore[arg-type]


def keep(ws: Workspace, *made: Lesson) -> None:
    with ws.context.store.write() as transaction:
        lessons.put(transaction, made)


def test_skills_that_are_nearly_the_same_are_found_and_others_are_not(shop: Workspace) -> None:
    [pair] = near_skills(shop.library)
    assert (pair.keep, pair.drop) == ("unstable-tests", "flaky-tests")


def test_a_merge_is_a_draft_that_says_what_becomes_of_the_requests_of_both(shop: Workspace) -> None:
    done = propose_merge(shop.library, "flaky-tests", "unstable-tests")
    assert (done.draft.target, done.draft.needs_approval) == ("flaky-tests", True)
    assert done.probes > 0
    assert done.lost == ()
    assert "requests of both still go to it" in done.draft.notes[0]
    assert "Seeds" not in (shop.root / ".agents/skills/flaky-tests/SKILL.md").read_text(encoding="utf-8")
    approve_draft(shop.library, done.draft.id)
    apply_drafts(shop.library, [done.draft.id])
    text = (shop.root / ".agents/skills/flaky-tests/SKILL.md").read_text(encoding="utf-8")
    assert text.count("Run it fifty times.") == 1
    assert "Fix the seed of the random numbers first." in text


def test_a_line_that_differs_in_an_article_alone_is_not_said_twice_and_the_skill_in_use_stays(shop: Workspace) -> None:
    put(shop, "flaky-tests", ABOUT, "1. Run a test fifty times.\n2. Do not push it.\n\n```\npytest the test\n```")
    put(shop, "unstable-tests", ABOUT, "1. Run the test fifty times.\n2. Do push it.\n\n```\npytest the test\n```")
    shop.record_hand_edits()
    with shop.context.store.write() as transaction:
        profiles.put(transaction, [Profile(skill="flaky-tests", workspace=shop.name, uses=3)])
    [pair] = near_skills(shop.library)
    assert (pair.keep, pair.drop) == ("flaky-tests", "unstable-tests")
    done = propose_merge(shop.library, pair.keep, pair.drop)
    approve_draft(shop.library, done.draft.id)
    apply_drafts(shop.library, [done.draft.id])
    text = (shop.root / ".agents/skills/flaky-tests/SKILL.md").read_text(encoding="utf-8")
    assert (text.count("fifty times"), text.count("push it.")) == (1, 2)
    assert "```\npytest the test\n```" in text


def test_a_step_with_the_same_command_is_not_said_twice_and_the_others_are_numbered_anew(shop: Workspace) -> None:
    put(shop, "flaky-tests", ABOUT, "1. `pytest -q`\n2. Look at the seed.")
    put(shop, "unstable-tests", ABOUT, "1. Run `pytest -q`.\n2. Save the log.\n3. Then look at the seed.\n4. Tell me.")
    shop.record_hand_edits()
    done = propose_merge(shop.library, "flaky-tests", "unstable-tests")
    approve_draft(shop.library, done.draft.id)
    apply_drafts(shop.library, [done.draft.id])
    text = (shop.root / ".agents/skills/flaky-tests/SKILL.md").read_text(encoding="utf-8")
    assert (text.count("pytest -q"), text.count("the seed")) == (1, 1)
    assert "1. Save the log.\n2. Tell me." in text


def test_one_skill_is_no_pair(shop: Workspace) -> None:
    with pytest.raises(NotFoundError, match="not two skills"):
        propose_merge(shop.library, "flaky-tests", "flaky-tests")


def test_lessons_that_say_nearly_the_same_become_one_and_the_stronger_stays(ws: Workspace) -> None:
    keep(
        ws,
        lesson("a", "Use uv to install packages, never pip", check=PIP, strength=0.9),
        lesson("b", "Use uv to install the packages, never pip", check=PIP),
        lesson("c", "Sign every commit"),
        lesson("d", "Use uv to install packages, never pip", kind="fact"),
    )
    [pair] = near_lessons(ws.context)
    assert (pair.keep.id, pair.drop.id) == ("a" * 12, "b" * 12)
    stays, gone = merge_lessons(ws.context, "aaa", "bbb")
    assert (stays.status, gone.status) == ("approved", "forgotten")
    assert near_lessons(ws.context) == []


def test_a_check_is_not_lost_by_a_merge(ws: Workspace) -> None:
    keep(
        ws,
        lesson("a", "Use uv, never pip"),
        lesson("b", "Use uv and never pip", check=PIP),
        lesson("c", "x", kind="fix"),
    )
    with pytest.raises(RefusedError, match="holds calls to something"):
        merge_lessons(ws.context, "a", "b")
    assert merge_lessons(ws.context, "b", "a")[1].status == "forgotten"
    with pytest.raises(RefusedError, match="of one kind"):
        merge_lessons(ws.context, "b", "c")
