"""What a pass does with a pattern follows from its drafts, and is said with a reason."""

from __future__ import annotations

from dataclasses import replace

import pytest

from metier.learning.patterns import Generate, Leave, Refresh, Situation, in_order, next_step
from metier.types import Draft, DraftStatus, Pattern, PatternStatus, Provenance
from metier.types.lessons import Lesson
from metier.types.passes import Learned

NOW = Situation(drafter="heuristic")
RUNS = ("a", "b", "c", "d")
PATTERN = Pattern(id="p", workspace="w", label="l", summary="s", runs=RUNS, successes=4, status="ready")


def draft(status: DraftStatus, runs: tuple[str, ...] = RUNS, model: str = "heuristic", name: str = "d") -> Draft:
    return Draft(
        id=name, workspace="w", target="t", kind="create", type="shortcut", summary="s", pattern="p",
        provenance=Provenance(runs=runs, model=model), status=status,
    )  # fmt: skip


def test_ready_patterns_come_oldest_first_then_by_id() -> None:
    made = [replace(PATTERN, id=name, created=when) for name, when in (("c", "2"), ("b", "1"), ("a", "2"))]
    forming = replace(PATTERN, id="z", status="forming", created="0")
    assert [one.id for one in in_order([*made, forming])] == ["b", "a", "c"]


@pytest.mark.parametrize("status", ["forming", "retired"])
def test_a_pattern_that_is_not_ready_is_left_alone_and_so_is_its_open_draft(status: PatternStatus) -> None:
    assert next_step(replace(PATTERN, status=status), [draft("candidate")], NOW) == Leave(
        reason=f"the pattern is {status}"
    )


def test_a_ready_pattern_without_a_draft_gets_one() -> None:
    assert next_step(PATTERN, [replace(draft("candidate"), pattern="other")], NOW) == Generate(reason="no draft yet")


def test_an_open_draft_is_refreshed_even_if_a_later_one_was_turned_down() -> None:
    open_draft = draft("candidate", name="open")
    assert next_step(PATTERN, [open_draft, draft("rejected")], NOW) == Refresh(
        draft=open_draft, reason="its draft is open"
    )


@pytest.mark.parametrize("status", ["quarantined", "rejected"])
def test_what_was_turned_down_comes_again_only_with_other_evidence_or_another_model(status: DraftStatus) -> None:
    assert isinstance(next_step(PATTERN, [draft(status)], NOW), Leave)
    assert isinstance(next_step(PATTERN, [draft(status, RUNS[:3])], NOW), Generate)
    assert isinstance(next_step(PATTERN, [draft(status)], replace(NOW, drafter="gpt")), Generate)
    assert isinstance(next_step(PATTERN, [draft(status, model="gpt")], replace(NOW, drafter="gpt")), Leave)


def test_a_model_that_answered_in_vain_is_not_paid_for_the_same_again() -> None:
    vain = draft("rejected", model="heuristic after gpt")
    assert isinstance(next_step(PATTERN, [vain], replace(NOW, drafter="gpt")), Leave)
    assert isinstance(next_step(PATTERN, [vain], NOW), Leave)


def test_a_shipped_skill_gets_another_draft_once_there_is_enough_new() -> None:
    grown = replace(PATTERN, runs=(*RUNS, "e"))
    assert isinstance(next_step(grown, [draft("accepted")], NOW), Leave)
    more = replace(grown, runs=(*grown.runs, "f"))
    assert next_step(more, [draft("accepted")], NOW) == Generate(reason="2 new successful runs since its skill shipped")


def test_a_changed_success_ratio_calls_for_another_draft() -> None:
    worse = replace(PATTERN, failures=1)
    assert isinstance(next_step(worse, [draft("accepted")], replace(NOW, ratio_then=0.85)), Leave)
    changed = next_step(worse, [draft("accepted")], replace(NOW, ratio_then=1.0))
    assert changed == Generate(reason="its success ratio went from 1.00 to 0.80")


def test_a_superseded_draft_does_not_count_beside_a_later_one() -> None:
    assert isinstance(next_step(PATTERN, [draft("superseded")], NOW), Generate)
    assert isinstance(next_step(PATTERN, [draft("accepted"), draft("superseded")], NOW), Leave)


def test_lessons_that_wait_are_not_told_as_if_this_pass_had_found_them() -> None:
    waiting = Lesson(id="l", workspace="w", kind="rule", text="never `git add .`", subject="git add")
    assert Learned(lessons=(waiting,)).summary == "1 lesson waits (metier lessons review)"
    found = (waiting, replace(waiting, id="m"), replace(waiting, id="n", status="approved"))
    assert Learned(lessons=found).summary == "2 lessons wait (metier lessons review)"
