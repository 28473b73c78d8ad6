"""Two arms as pairs: a case counts once, and what was not scored is no 0."""

from __future__ import annotations

from metier.statistics.pairs import Pair, deltas_of, pairs_of
from metier.types.trials import Rollout, Score, Scored, Unscored


def rollout(case: str, score: Score, sample: int = 0) -> Rollout:
    return Rollout(case=case, skill_hash="", target="t", score=score, sample=sample)


def hard(value: float) -> Scored:
    return Scored(hard=value, soft=value / 2)


def test_samples_of_a_case_are_averaged_first() -> None:
    before = [rollout("a", hard(0)), rollout("a", hard(1), 1), rollout("b", hard(1))]
    after = [rollout("b", hard(1)), rollout("a", hard(1))]
    assert pairs_of(before, after) == (Pair(case="a", before=0.5, after=1.0), Pair(case="b", before=1.0, after=1.0))


def test_an_arm_without_a_score_has_no_value() -> None:
    down = Unscored(reason="server down")
    pairs = pairs_of([rollout("a", down), rollout("b", hard(1))], [rollout("a", hard(1)), rollout("c", hard(1))])
    assert [(pair.case, pair.before, pair.after) for pair in pairs] == [
        ("a", None, 1.0),
        ("b", 1.0, None),
        ("c", None, 1.0),
    ]
    assert deltas_of(pairs) == ()


def test_one_scored_sample_is_enough() -> None:
    pairs = pairs_of([rollout("a", Unscored(reason="x")), rollout("a", hard(1), 1)], [rollout("a", hard(0))])
    assert deltas_of(pairs) == (("a", -1.0),)


def test_another_value_of_a_score_can_be_compared() -> None:
    pairs = pairs_of([rollout("a", hard(0))], [rollout("a", hard(1))], value=lambda score: score.soft)
    assert deltas_of(pairs) == (("a", 0.5),)
