"""The simulated world: what the specification says of it, measured."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from math import exp
from statistics import fmean, stdev

import pytest

from metier.cli.demo.world.jobs import JOB, OPEN, answer_to, cases, right_answer
from metier.cli.demo.world.proposer import Proposer
from metier.cli.demo.world.world import World, WorldSpec, document, line, lines_of, rules_in
from metier.types import Append, Delete

WORLD = World(spec=WorldSpec(seed=3))
JOBS = [f"t{number:04d}" for number in range(2_000)]
BEST = document(line("G", rule) for rule in range(12))


def test_difficulty_and_needs_are_spread_as_stated() -> None:
    traits = [WORLD.traits(job) for job in JOBS]
    assert fmean(one.base for one in traits) == pytest.approx(-0.6, abs=0.1)
    assert stdev(one.base for one in traits) == pytest.approx(1.3, abs=0.1)
    needs = [len(one.gains) for one in traits]
    assert [needs.count(k) / len(needs) for k in (1, 2, 3)] == pytest.approx([0.4, 0.4, 0.2], abs=0.04)


def test_the_first_rules_are_needed_most_often() -> None:
    first = [next(iter(WORLD.traits(job).gains)) for job in JOBS]
    assert first.count(0) / first.count(8) == pytest.approx(3, rel=0.35)


def test_a_good_rule_weighs_less_where_more_are_needed_and_the_same_on_all_such_jobs() -> None:
    by_need: dict[int, set[float]] = {1: set(), 2: set(), 3: set()}
    for job in JOBS:
        gains = WORLD.traits(job).gains
        if 0 in gains:
            by_need[len(gains)].add(round(gains[0], 9))
    assert all(len(weights) == 1 for weights in by_need.values())
    alone, two, three = (weights.pop() for weights in by_need.values())
    assert (alone / two, alone / three) == pytest.approx((2**0.5, 3**0.5))


def test_a_harmful_rule_hurts_a_third_of_the_jobs() -> None:
    hurt = [job for job in JOBS if 0 in WORLD.traits(job).losses]
    assert len(hurt) / len(JOBS) == pytest.approx(0.35, abs=0.04)
    assert -1.2 <= WORLD.traits(hurt[0]).losses[0] <= -0.5


def test_the_chance_is_that_of_the_formula() -> None:
    job = JOBS[0]
    traits = WORLD.traits(job)
    text = document([*(line("G", rule) for rule in range(12)), line("H", 0), *(line("N", n) for n in range(10))])
    odds = traits.base + sum(traits.gains.values()) + traits.losses.get(0, 0.0) - 0.02 * 3
    assert WORLD.chance(job, text) == pytest.approx(1 / (1 + exp(-odds)))


def test_passing_comes_as_often_as_the_chance_says() -> None:
    passed = fmean(WORLD.passes(job, BEST) for job in JOBS)
    assert passed == pytest.approx(fmean(WORLD.chance(job, BEST) for job in JOBS), abs=0.03)


def test_gain_is_the_share_of_the_way_to_all_good_rules() -> None:
    assert WORLD.gain("") == 0
    assert WORLD.gain(BEST) == 1
    assert WORLD.gain(document([line("H", 1)])) < 0 < WORLD.gain(document([line("G", 1)])) < 1
    assert WORLD.gain(document([line("N", 1)])) == pytest.approx(0)


def test_talk_moves_nothing_and_a_rule_counts_once() -> None:
    text = f"# Title\n\nSome talk.\n{line('G', 2)}\n{line('G', 2)}\n"
    assert rules_in(text).good == {2}
    assert lines_of(text) == [line("G", 2)] * 2


def shared(rho: float) -> float:
    """The share of jobs whose luck is the same under two skills."""
    world = World(spec=WorldSpec(seed=1, rho=rho))
    return fmean(world.luck(job, "") == world.luck(job, BEST) for job in JOBS)


def test_luck_is_shared_between_skills_as_often_as_rho_says() -> None:
    assert [shared(rho) for rho in (0.0, 0.5, 1.0)] == pytest.approx([0.0, 0.5, 1.0], abs=0.04)


def test_everything_follows_from_the_seed_whatever_the_threads_do() -> None:
    def outcomes(world: World, workers: int) -> list[str]:
        with ThreadPoolExecutor(workers) as pool:
            return list(pool.map(lambda job: answer_to(world, job, BEST), JOBS[:300]))

    spec = WorldSpec(seed=9, rho=0.5)
    alone = outcomes(World(spec=spec), 1)
    assert outcomes(World(spec=spec), 16) == alone
    assert outcomes(World(spec=WorldSpec(seed=10, rho=0.5)), 1) != alone


def test_another_sample_is_another_try() -> None:
    assert len({WORLD.luck("t0001", BEST, sample) for sample in range(20)}) == 20


def test_cases_name_their_job_and_no_job_is_in_two_parts() -> None:
    made = [case for part in ("train", "val", "test", "confirm") for case in cases(WORLD, part, 30)]
    assert len({case.id for case in made}) == 120
    assert all(JOB.search(case.input)[1] == case.id for case in made)  # type: ignore[index]
    assert made[0].expected == right_answer(WORLD, "t0000")


def test_an_answer_tells_whether_the_job_is_open() -> None:
    for case in cases(WORLD, "val", 40):
        output = answer_to(WORLD, case.id, "")
        assert (output == case.expected) is WORLD.passes(case.id, "")
        assert OPEN.findall(output) == ([] if output == case.expected else [case.id])


# ---- the proposer -----------------------------------------------------------------------------------------------


def kind_of(edit: Append | Delete) -> str:
    return "delete" if isinstance(edit, Delete) else edit.content.split()[2][0]


def test_edits_are_of_each_kind_as_often_as_stated() -> None:
    proposer = Proposer(world=WORLD)
    text = document([line("N", 1), line("N", 2)])
    kinds = [kind_of(edit) for salt in range(1_500) for edit in proposer.propose(text, ["t0001", "t0002"], salt)]
    shares = [kinds.count(kind) / len(kinds) for kind in ("G", "N", "H", "delete")]
    assert shares == pytest.approx([0.35, 0.30, 0.20, 0.15], abs=0.04)


def test_a_good_edit_is_a_rule_that_the_failed_job_needs_and_does_not_have() -> None:
    needed = list(WORLD.traits("t0003").gains)
    proposer, text = Proposer(world=WORLD), document([line("G", needed[0])])
    made = {edit for salt in range(300) for edit in proposer.propose(text, ["t0003"], salt)}
    good = {edit.content for edit in made if isinstance(edit, Append) and kind_of(edit) == "G"}
    assert good == {line("G", rule) for rule in needed[1:]}


def test_only_lines_that_are_there_are_taken_out() -> None:
    proposer = Proposer(world=WORLD, edits=4)
    for text in (document(), document([line("N", 7)])):
        made = [edit for salt in range(100) for edit in proposer.propose(text, ["t0001"], salt)]
        assert {edit.target for edit in made if isinstance(edit, Delete)} <= set(lines_of(text))


def test_the_same_view_gives_the_same_proposal_and_no_failure_gives_none() -> None:
    proposer = Proposer(world=WORLD, edits=3)
    assert proposer.propose(BEST, ["t0001"], 1) == proposer.propose(BEST, ["t0001"], 1)
    assert proposer.propose(BEST, []) == ()
