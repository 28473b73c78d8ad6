"""Selection is measured: what was asked, what should have come, what came."""

from __future__ import annotations

from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metier.selection.evaluation.evaluate import SelectionAnswer, compare, evaluate
from metier.selection.evaluation.labelled_queries import Query, read_queries
from metier.statistics.figures import auc, mean, paired_mean, percentile, share


def query(*gold: str, kind: str = "") -> Query:
    return Query(text="a request", gold=gold, kind=kind)


def answer(*retrieved: str, chosen: tuple[str, ...] = (), probability: float = 0.0, ms: float = 1.0) -> SelectionAnswer:
    return SelectionAnswer(
        retrieved=retrieved, chosen=chosen, probability=probability, retrieve_ms=ms, choose_ms=ms / 2
    )


QUERIES = (query("a"), query("b"), query("c", "d"), query("e"), query(), query())
ANSWERS = (
    answer("a", "b", chosen=("a",), probability=0.9, ms=2.0),
    answer("a", "b", chosen=("a", "b"), probability=0.8),
    answer("x", "y", "z", "d", probability=0.4),
    answer("x", "y", probability=0.3),
    answer("x", probability=0.35),
    answer("x", chosen=("x",), probability=0.7),
)


def test_recall_is_the_share_of_queries_with_any_right_skill_in_the_first_places() -> None:
    recall = evaluate(QUERIES, ANSWERS).retrieve.recall
    assert {cut: figure.value for cut, figure in recall.items() if figure} == {1: 0.25, 5: 0.75, 12: 0.75}
    assert {figure.count for figure in recall.values() if figure} == {4}


def test_the_reciprocal_rank_counts_a_missing_skill_as_nothing() -> None:
    mrr = evaluate(QUERIES, ANSWERS).retrieve.mrr
    assert mrr
    assert mrr.value == pytest.approx((1 + 1 / 2 + 1 / 4 + 0) / 4)


def test_precision_counts_every_activated_skill_also_where_none_should_be() -> None:
    chosen = evaluate(QUERIES, ANSWERS).choose
    assert chosen.precision
    assert (chosen.precision.value, chosen.precision.count) == (0.5, 4)
    assert chosen.activated == pytest.approx(4 / 6)


def test_abstaining_is_measured_on_both_kinds_of_queries() -> None:
    found = evaluate(QUERIES, ANSWERS)
    chosen = found.choose
    assert found.unserved == 2
    assert chosen.nothing
    assert chosen.nothing.value == 0.5
    assert chosen.recall
    assert chosen.recall.value == 0.5
    assert chosen.first
    assert chosen.first.value == 0.25
    assert chosen.auc == pytest.approx((2 + 2 + 1 + 0) / 8)


def test_latency_is_that_of_each_stage_and_of_both() -> None:
    found = evaluate(QUERIES, ANSWERS)
    assert (found.retrieve.latency.p50, found.retrieve.latency.p95) == (1.0, 2.0)
    assert (found.choose.latency.p50, found.latency.p95) == (0.5, 3.0)


def test_figures_are_told_apart_by_kind_where_there_are_several() -> None:
    queries = (query("a", kind="routing"), query("b", kind="eval"), query(kind="eval"))
    found = evaluate(queries, ANSWERS[:3])
    assert {name: one.queries for name, one in found.kinds.items()} == {"eval": 2, "routing": 1}
    assert evaluate(queries[:1], ANSWERS[:1]).kinds == {}


def test_without_queries_of_a_kind_its_figures_are_unknown_and_not_zero() -> None:
    found = evaluate((query(),), (answer(),))
    assert (found.retrieve.mrr, found.retrieve.recall[1], found.choose.recall, found.choose.auc) == (None,) * 4
    assert evaluate((), ()).latency.p50 is None


def test_a_comparison_goes_query_by_query() -> None:
    other = (ANSWERS[0], answer("b", chosen=("b",)), *ANSWERS[2:5], answer("x"))
    found = compare(QUERIES, ANSWERS, other)
    assert found.recall[1]
    assert found.recall[1].value == pytest.approx(0.25)
    assert found.nothing
    assert found.nothing.value == 0.5
    assert (found.better, found.worse) == ((QUERIES[5],), ())
    assert compare(QUERIES, other, ANSWERS).worse == (QUERIES[5],)


def test_ten_equal_answers_do_not_prove_that_there_is_no_difference() -> None:
    figure = paired_mean([0.0] * 10)
    assert figure
    assert figure.value == 0.0
    assert figure.low < -0.1 < 0.1 < figure.high


@given(st.lists(st.booleans(), min_size=1, max_size=40))
def test_a_share_lies_in_its_interval_and_the_interval_between_0_and_1(hits: list[bool]) -> None:
    figure = share(hits)
    assert figure
    assert 0.0 <= figure.low <= figure.value <= figure.high <= 1.0


def test_the_interval_of_a_share_holds_the_truth_in_95_of_100_cases() -> None:
    size, truth = 60, 0.8
    covered = 0.0
    for hits in range(size + 1):
        figure = share([True] * hits + [False] * (size - hits))
        assert figure
        if figure.low <= truth <= figure.high:
            covered += comb(size, hits) * truth**hits * (1 - truth) ** (size - hits)
    assert 0.93 < covered < 0.97


@given(st.lists(st.sampled_from([0.1, 0.2, 0.3]), max_size=8), st.lists(st.sampled_from([0.1, 0.2, 0.3]), max_size=8))
def test_auc_is_how_often_the_right_kind_comes_first(ours: list[float], theirs: list[float]) -> None:
    pairs = [(a > b) + 0.5 * (a == b) for a in ours for b in theirs]
    assert auc(ours, theirs) == (pytest.approx(sum(pairs) / len(pairs)) if pairs else None)


def test_nothing_has_no_figures() -> None:
    assert (share([]), mean([]), paired_mean([]), percentile([], 0.5)) == (None,) * 4


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "not JSON; write one object a line"),
        ("[1]", "not an object"),
        ('{"gold": []}', "query: missing"),
        ('{"query": " ", "gold": []}', "query: empty"),
        ('{"query": 5, "gold": []}', "query: of the wrong kind"),
        ('{"query": "x"}', "gold: missing; write a list of skill names, [] when no skill fits"),
        ('{"query": "x", "gold": "a"}', "gold: of the wrong kind"),
        ('{"query": "x", "gold": [""]}', "gold: holds something that is no name"),
        ('{"query": "x", "gold": [1]}', "gold: holds something that is no name"),
        ('{"query": "x", "gold": [], "kind": 1}', "kind: not a text"),
    ],
)
def test_a_bad_line_says_what_is_wrong_and_what_to_write(line: str, words: str) -> None:
    found = read_queries(['{"query": "fine", "gold": ["a", "a"], "lang": "en"}', "", line])
    assert [(one.text, one.gold, one.line) for one in found.queries] == [("fine", ("a",), 1)]
    (bad,) = found.bad
    assert bad.line == 3
    assert words in bad.reason
