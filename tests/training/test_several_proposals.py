"""Several sets of proposals of the same rollouts: more to judge for no more rollouts of train cases."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING

import pytest
from training_toys import DOWN, Rules, Teacher, bundle, case, contents, desk, run, setting

from metier.models.scripted import Scripted, fails, on, says
from metier.training.proposing.aggregate import Merging
from metier.training.proposing.prompt import Seen
from metier.training.rollouts.pool import Threads
from metier.training.several import ProposalSet, minibatches, rivals, united, without
from metier.training.spec import Spec
from metier.types.trials import Rollout, Scored

if TYPE_CHECKING:
    from metier.models.failures import Failure
    from metier.models.model import Reply, Request
    from metier.training.proposing.proposals import Bundle

SPEC = Spec(epochs=2, batch=12, minibatch=4, slow=False, meta=False, schedule="constant", max_edits=2, proposals=3)
SCREEN = replace(SPEC, gate="screen", screen_edits=6, screen_passes=2)


def seen(number: int, *, passed: bool = False) -> Seen:
    score = Scored(hard=float(passed), soft=float(passed))
    made = Rollout(case=f"c{number}", skill_hash="h", target="t", score=score, sample=0, output="")
    return Seen(case=case(number), rollouts=(made,))


def of(*bundles: Bundle) -> list[ProposalSet]:
    return [ProposalSet(number=at, reflections=(), bundle=one) for at, one in enumerate(bundles, 1)]


def names(*made: ProposalSet) -> list[list[str]]:
    return [contents(one.bundle) for one in made]


def test_every_case_is_looked_at_again_in_other_company() -> None:
    batch = [seen(number, passed=number > 9) for number in range(20)]
    one, two = (minibatches(batch, SPEC, f"set {number}") for number in (2, 3))
    for made in (one, two):
        assert [len(each.cases) for each in made] == [4, 4, 2, 4, 4, 2]
        assert [each.source for each in made] == ["failure"] * 3 + ["success"] * 3
        assert {each.case.id for minibatch in made for each in minibatch.cases} == {each.case.id for each in batch}
    assert one != two
    assert one == minibatches(batch, SPEC, "set 2")


def test_of_few_cases_another_half_is_looked_at() -> None:
    batch = [seen(number) for number in range(4)]
    made = [minibatches(batch, SPEC, f"set {number}") for number in range(8)]
    assert {len(one.cases) for each in made for one in each} == {2}
    assert len({frozenset(one.case.id for one in each[0].cases) for each in made}) > 2


def test_where_each_edit_is_judged_by_itself_all_sets_are_one_with_every_edit_once() -> None:
    sets = of(bundle("a", "b", support=1), bundle("b", "c", support=3), bundle("d"))
    (made,) = rivals(sets, SCREEN, room=9)
    assert contents(made.bundle) == ["a", "b", "c", "d"]
    assert [item.support for item in made.bundle.items] == [1, 3, 3, 1]


def test_further_sets_only_fill_up_the_room_there_is() -> None:
    sets = of(bundle("a", "b"), bundle("c", "d"), bundle("e", "f"))
    assert names(*rivals(sets, SCREEN, room=3)) == [["a", "b", "c"]]
    assert names(*rivals(sets, SCREEN, room=-1)) == [["a", "b"]]
    assert names(*rivals(of(bundle(*"abcdefgh")), SCREEN, room=3)) == [[*"abcdefgh"]]


def test_a_step_brings_no_more_to_a_screening_than_cases_failed_in_it() -> None:
    def propose(request: Request) -> Reply | Failure:
        new = sha256(request.messages[0].text.encode()).hexdigest()[:6]
        return says({"edits": [{"op": "append", "content": f"- {new} {at}"} for at in range(2)]})(request)

    spec = replace(SCREEN, batch=6, minibatch=6, proposals=9, screen_edits=30, epochs=1)
    ran = run(spec, model=Scripted(on("reflect", propose), otherwise=fails(DOWN)))
    assert [(one.failed, len(one.edits)) for one in ran.trained.steps] == [(6, 6)] * 4
    assert {event.edits for event in ran.of("gathered")} == {18}


def test_rivals_are_judged_by_how_much_they_agree_and_what_speaks_for_them() -> None:
    sets = of(bundle("a"), bundle("b", "c"), bundle("c", "d"), bundle("e", support=9), bundle("a"))
    assert names(*rivals(sets, SPEC, room=0)) == [["b", "c"], ["c", "d"], ["e"], ["a"]]
    assert names(*rivals(of(bundle(), bundle()), SPEC, room=0)) == [[]]


def test_what_a_rival_brought_in_already_is_not_made_twice() -> None:
    (one, two) = of(bundle("a", "b"), bundle("b", "c"))
    assert names(without(two, one.bundle.items)) == [["c"]]
    assert names(united((one,))) == [["a", "b"]]


def test_the_sets_are_merged_side_by_side_and_each_by_itself() -> None:
    place, model = desk({"edits": [{"op": "append", "content": "m"}]}, None)
    sets = ([bundle("a"), bundle("b")], [bundle("s", source="success")]), ([bundle("c")], []), ([], [])
    found = Merging(desk=place, setting=setting(), spec=SPEC).merge_sets(sets)
    assert [contents(one.bundle) for one in found] == [["m", "s"], ["c"], []]
    assert [one.problems for one in found] == [("nobody there",), (), ()]
    assert len(model.requests) == 2


@pytest.mark.parametrize("spec", [SPEC, SCREEN, replace(SPEC, gate="staged", block=4)], ids=lambda spec: spec.gate)
def test_no_more_train_cases_are_rolled_out_and_more_is_proposed(spec: Spec) -> None:
    def tried(spec: Spec) -> tuple[int, int]:
        world, model = Rules(), Teacher()
        run(replace(spec, ahead=False), world=world, model=model)
        asked = Counter(request.stage for request in model.asked)
        return sum(name.startswith("train") for name, _, _ in world.made), asked["reflect"]

    alone, several = tried(replace(spec, proposals=1)), tried(spec)
    assert alone[0] == several[0] == 48
    assert several[1] > alone[1]


def test_a_strict_gate_judges_one_after_the_other_on_what_is_current_then() -> None:
    ran = run(replace(SPEC, epochs=1, minibatch=12))
    first = [one for one in ran.trained.steps if one.step == 1]
    assert len(first) > 1
    assert len({one.proposal for one in first}) == len(first)
    lines = [line for line in ran.text.splitlines() if line.startswith("- rule")]
    assert len(lines) == len(set(lines))
    (gathered, *_) = ran.of("gathered")
    assert gathered.line().endswith(f"judged as {len(first)} candidates")
    assert ran.actions.count("accept_new_best") > len({one.step for one in ran.trained.steps}) - 1


def test_a_screening_comes_sooner() -> None:
    usual, sooner = (run(replace(SCREEN, screen_edits=5, proposals=count)) for count in (1, 3))
    assert len(sooner.trained.steps) == len(usual.trained.steps) == 4
    first = [next(event.step for event in ran.events if event.kind == "decided") for ran in (usual, sooner)]
    assert first[1] < first[0]
    assert "judged together" in sooner.of("gathered")[0].line()


@pytest.mark.parametrize("spec", [SPEC, SCREEN], ids=lambda spec: spec.gate)
def test_it_ends_the_same_whatever_the_threads_do(spec: Spec) -> None:
    first = run(spec)
    for workers in (3, 8):
        with Threads(workers) as pool:
            again = run(spec, pool=pool, world=Rules(slow=0.001), model=Teacher(slow=0.001))
        assert again.trained == first.trained
        assert again.events == first.events


def test_one_set_is_the_classic_step() -> None:
    ran = run(replace(SPEC, proposals=1))
    assert not ran.of("gathered")
    assert [one.proposal for one in ran.trained.steps] == [1] * 4
