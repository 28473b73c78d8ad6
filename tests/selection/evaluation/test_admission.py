"""A newcomer is held against the tasks of its neighbours before it is admitted."""

from __future__ import annotations

from metier.selection.evaluation.admission import TaskProbe, admission, probes_of
from metier.selection.evaluation.evaluate import SelectionAnswer
from metier.selection.evaluation.labelled_queries import Query
from metier.selection.types import Selectable


def probe(*gold: str) -> TaskProbe:
    return TaskProbe(query=Query(text="a task", gold=gold), source="query")


def answer(*retrieved: str, chosen: tuple[str, ...] = ()) -> SelectionAnswer:
    return SelectionAnswer(retrieved=retrieved, chosen=chosen)


def test_a_task_is_taken_over_when_the_newcomer_comes_first_in_place_of_the_right_skill() -> None:
    before = [answer("old", "other", chosen=("old",))]
    after = [answer("new", "old", chosen=("new", "old"))]
    found = admission("new", [probe("old")], before, after)
    assert not found.accepted
    assert [(one.skill, one.still) for one in found.taken] == [("old", True)]
    assert (found.neighbours, found.probes) == (("old",), 1)


def test_a_neighbour_that_is_not_activated_any_more_is_told() -> None:
    found = admission("new", [probe("old")], [answer("old", chosen=("old",))], [answer("new", "old", chosen=("new",))])
    assert [one.still for one in found.taken] == [False]


def test_a_task_that_went_wrong_before_is_not_taken_over() -> None:
    assert admission("new", [probe("old")], [answer("other", "old")], [answer("new", "old")]).accepted


def test_a_task_of_the_newcomer_itself_is_not_taken_over() -> None:
    assert admission("new", [probe("old", "new")], [answer("old")], [answer("new", "old")]).accepted


def test_what_was_chosen_comes_before_what_was_found_first() -> None:
    before, after = [answer("other", "old", chosen=("old",))], [answer("old", "new", chosen=("new",))]
    assert [one.skill for one in admission("new", [probe("old")], before, after).taken] == ["old"]


def test_nothing_found_is_nothing_taken() -> None:
    assert admission("new", [probe("old")], [answer()], [answer("new")]).accepted


def test_a_skill_says_itself_what_it_is_for() -> None:
    skill = Selectable(
        name="deploy",
        description="Deploys the shop. Use when a release is ready. Do not use it for data.\nUse this skill for: x",
    )
    assert [(one.query.text, one.source) for one in probes_of(skill, ["ship  the\nshop today", "ok"])] == [
        ("Deploys the shop", "description"),
        ("a release is ready", "description"),
        ("ship the shop today", "request"),
    ]


def test_the_same_task_is_asked_once() -> None:
    skill = Selectable(name="deploy", description="Deploys the shop. Deploys the shop.")
    assert len(probes_of(skill, ["Deploys the shop"])) == 1
    assert probes_of(skill)[0].query.gold == ("deploy",)
