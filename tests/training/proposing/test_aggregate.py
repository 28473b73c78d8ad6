"""Aggregation: level by level, failures first, and what happens when a merge fails."""

from __future__ import annotations

from training_toys import bundle, contents, desk, setting

from metier.training.proposing.aggregate import Aggregator
from metier.training.proposing.proposals import NOTHING, Bundle
from metier.training.spec import Spec


def merged(*words: str, support: int = 0) -> dict[str, object]:
    return {"edits": [{"op": "append", "content": word, "support_count": support} for word in words]}


def test_one_patch_alone_needs_no_call() -> None:
    place, model = desk()
    only = bundle("a", "b")
    found = Aggregator(desk=place, setting=setting(), spec=Spec()).merge([only, NOTHING], [])
    assert found.bundle == only
    assert model.requests == []


def test_no_patch_at_all_is_nothing() -> None:
    place, model = desk()
    assert Aggregator(desk=place, setting=setting(), spec=Spec()).merge([], [NOTHING]).bundle == NOTHING
    assert model.requests == []


def test_groups_become_one_level_by_level() -> None:
    place, model = desk(merged("m"))
    patches = [bundle(str(at), support=at + 1) for at in range(5)]
    found = Aggregator(desk=place, setting=setting(), spec=Spec.of(merge_group=2)).merge(patches, [])
    assert len(model.requests) == 4  # 5 -> 3 (the last goes on alone) -> 2 -> 1
    assert contents(found.bundle) == ["m"]
    assert (found.bundle.items[0].level, found.bundle.items[0].source) == (3, "failure")
    assert found.bundle.items[0].support == 5


def test_the_model_may_say_how_many_cases_speak_for_an_edit() -> None:
    place, _ = desk(merged("m", support=9))
    found = Aggregator(desk=place, setting=setting(), spec=Spec()).merge([bundle("a"), bundle("b")], [])
    assert found.bundle.items[0].support == 9


def test_both_sides_are_merged_apart_and_then_together() -> None:
    place, model = desk(merged("f"), merged("s"), merged("both"))
    failures, successes = [bundle("a"), bundle("b")], [bundle("c", source="success"), bundle("d", source="success")]
    found = Aggregator(desk=place, setting=setting(), spec=Spec()).merge(failures, successes)
    assert contents(found.bundle) == ["both"]
    last = model.requests[-1].messages[0].text
    assert last.index('"f"') < last.index('"s"')


def test_a_failed_merge_puts_one_after_the_other_failures_first() -> None:
    place, _ = desk(None)
    found = Aggregator(desk=place, setting=setting(), spec=Spec()).merge(
        [bundle("a"), bundle("b")], [bundle("c", source="success")]
    )
    assert contents(found.bundle) == ["a", "b", "c"]
    assert [one.level for one in found.bundle.items] == [1, 1, 2]
    assert [one.source for one in found.bundle.items] == ["failure", "failure", "success"]
    assert found.problems == ("nobody there", "nobody there")


def test_an_answer_without_edits_is_a_failed_merge_and_an_empty_list_is_an_answer() -> None:
    place, model = desk({"reasoning": "hm"})
    patches: list[Bundle] = [bundle("a"), bundle("b")]
    assert contents(Aggregator(desk=place, setting=setting(), spec=Spec()).merge(patches, []).bundle) == ["a", "b"]
    assert len(model.requests) == 2  # one repair
    place, _ = desk(merged())
    assert Aggregator(desk=place, setting=setting(), spec=Spec()).merge(patches, []).bundle.items == ()


def test_what_was_merged_away_on_one_level_needs_no_call_on_the_next() -> None:
    place, model = desk(merged())
    patches = [bundle(str(at)) for at in range(4)]
    found = Aggregator(desk=place, setting=setting(), spec=Spec.of(merge_group=2)).merge(patches, [])
    assert found.bundle.items == ()
    assert len(model.requests) == 2  # 4 -> 2, and both are empty
