"""The gate: the classic decisions, exactly, with their reasons."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from training_toys import package

from metier.errors import UsageError
from metier.training.gates.gate import GateEvidence, MeasureAll
from metier.training.gates.registry import gate_of
from metier.training.gates.strict import OffGate, StrictGate
from metier.training.scores import Metric, Scores
from metier.training.spec import Spec
from metier.training.state import GateMemory, SkillCandidate
from metier.types.trials import Decision, Scored, Unscored


def scores(*hard: float | None, soft: float | None = None) -> Scores:
    """Scores of cases 0, 1, …; None has no score."""
    return Scores(
        cases=tuple(
            (
                str(at),
                Unscored(reason="closed") if one is None else Scored(hard=one, soft=one if soft is None else soft),
            )
            for at, one in enumerate(hard)
        )
    )


@pytest.mark.parametrize(
    ("candidate", "current", "best", "action"),
    [
        (0.6, 0.5, 0.5, "accept_new_best"),
        (0.6, 0.5, 0.7, "accept"),
        (0.6, 0.5, 0.6, "accept"),
        (0.5, 0.5, 0.5, "reject"),
        (0.4, 0.5, 0.5, "reject"),
        (0.5, 0.5, 0.4, "reject"),
        (0.0, 0.0, 0.0, "reject"),
    ],
)
def test_better_than_current_is_accepted_better_than_best_is_the_best_and_ties_are_rejected(
    candidate: float, current: float, best: float, action: str
) -> None:
    assert StrictGate().compare(scores(candidate), scores(current), scores(best)).action == action


def test_the_whole_split_counts_and_each_case_says_what_it_gained() -> None:
    decision = StrictGate().compare(scores(1, 0, 1), scores(0, 1, 0), scores(0, 1, 0))
    assert decision.action == "accept_new_best"
    assert decision.deltas == (("0", 1.0), ("1", -1.0), ("2", 1.0))
    assert decision.reason == "0.6667 against 0.3333 on 3 cases"


def test_a_case_without_a_score_under_one_skill_counts_for_neither() -> None:
    lucky = StrictGate().compare(scores(1, None), scores(1, 0), scores(1, 0))
    assert lucky.action == "reject"
    assert lucky.deltas == (("0", 0.0),)
    assert StrictGate().compare(scores(0, 1), scores(None, 0), scores(None, 0)).action == "accept_new_best"


def test_where_no_case_was_scored_twice_nothing_can_be_said() -> None:
    assert StrictGate().compare(scores(1, None), scores(None, 1), scores(None, 1)).action == "uninformative"


@pytest.mark.parametrize(
    ("metric", "weight", "expected"),
    [
        ("hard", 0.5, 1.0),
        ("soft", 0.5, 0.5),
        ("mixed", 0.5, 0.75),
        ("mixed", 0.2, 0.9),
        ("mixed", 7, 0.5),
        ("mixed", -1, 1.0),
    ],
)
def test_hard_and_soft_become_one_number(metric: str, weight: float, expected: float) -> None:
    assert Metric(metric=metric, weight=weight).of(Scored(hard=1.0, soft=0.5)) == pytest.approx(expected)


def test_an_unknown_metric_is_an_error() -> None:
    with pytest.raises(UsageError, match="'best'"):
        Metric(metric="best").of(Scored(hard=1, soft=1))
    with pytest.raises(UsageError, match="metric"):
        Spec.of(metric="best")  # type: ignore[arg-type]


def judged(spec: Spec, after: Scores, before: Scores) -> Decision:
    """What the gate of these settings says when everything is measured."""
    known = known_scores(after, before)
    first = gate_of(spec).decide(replace(known, wholes={}))
    assert first == MeasureAll(skill=known.candidate.package)
    decision = gate_of(spec).decide(known)
    assert isinstance(decision, Decision)
    return decision


def known_scores(after: Scores, before: Scores) -> GateEvidence:
    candidate = SkillCandidate(change="step", package=package("new"), step=1)
    return GateEvidence(
        candidate=candidate,
        val=(),
        current=package("old"),
        current_scores=before,
        best=package("old"),
        best_scores=before,
        memory=GateMemory(),
        wholes={(candidate.package.hash(), 0): after},
    )


def test_the_metric_decides() -> None:
    after, before = scores(0, 0, soft=0.9), scores(0, 1, soft=0.1)
    assert judged(Spec.of(metric="hard"), after, before).action == "reject"
    assert judged(Spec.of(metric="soft"), after, before).action == "accept_new_best"
    assert judged(Spec.of(metric="mixed", soft_weight=0.9), after, before).action == "accept_new_best"


def test_what_is_the_same_byte_for_byte_needs_no_measurement() -> None:
    known = known_scores(scores(1), scores(0))
    same = replace(known, candidate=replace(known.candidate, package=package("old")))
    for gate, action in (("strict", "reject"), ("off", "force_accept")):
        assert gate_of(Spec.of(gate=gate)).decide(same) == Decision(action=action, reason="nothing was changed")


def test_no_case_may_lose_more_than_is_allowed() -> None:
    after, before = scores(1, 1, 0.2), scores(0, 0, 0.5)
    assert judged(Spec.of(max_loss=0.3), after, before).action == "accept_new_best"
    refused = judged(Spec.of(max_loss=0.2), after, before)
    assert refused.action == "reject"
    assert refused.reason.startswith("case 2 loses 0.3000")


def test_without_a_gate_everything_is_accepted_and_measured() -> None:
    decision = judged(Spec.of(gate="off"), scores(0), scores(1))
    assert isinstance(gate_of(Spec.of(gate="off")), OffGate)
    assert decision.action == "force_accept"
    assert decision.deltas == (("0", -1.0),)


POINTS = st.sampled_from([0.0, 0.1, 0.2, 0.3, 1 / 3, 0.5, 0.7, 1.0])
ROWS = st.lists(st.tuples(*[st.tuples(POINTS, POINTS)] * 3), min_size=1, max_size=12)


@given(rows=ROWS, metric=st.sampled_from(["hard", "soft", "mixed"]), weight=st.floats(-1, 2))
def test_every_decision_is_the_one_that_the_means_of_the_split_give(
    rows: list[tuple[tuple[float, float], ...]], metric: str, weight: float
) -> None:
    arms = [
        Scores(cases=tuple((str(at), Scored(hard=row[arm][0], soft=row[arm][1])) for at, row in enumerate(rows)))
        for arm in range(3)
    ]
    share = {"hard": 0.0, "soft": 1.0, "mixed": min(1.0, max(0.0, weight))}[metric]
    candidate, current, best = (
        (1.0 - share) * (sum(row[arm][0] for row in rows) / len(rows))
        + share * (sum(row[arm][1] for row in rows) / len(rows))
        for arm in range(3)
    )
    expected = "reject" if candidate <= current else "accept_new_best" if candidate > best else "accept"
    assert StrictGate(metric=Metric(metric=metric, weight=weight)).compare(*arms).action == expected
