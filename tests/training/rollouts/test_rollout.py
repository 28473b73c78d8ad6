"""A rollout is tried, tried again after failures of the world, and scored; a failure is never a score of 0."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest

from metier.formats.value_json import dumps, loads
from metier.skills.package import Package
from metier.training.rollouts.rollout import BudgetSpent, ScoringRoller, is_scored, rollout_key
from metier.training.scoring.scorers import Scorers
from metier.training.targets.target import Attempt, Broken
from metier.types import Tokens
from metier.types.trials import Case, Rollout, Scored, Unscored

CASE = Case(id="c", input="say hi", expected="hi")
SKILL = Package(files={"SKILL.md": b"---\nname: greet\n---\nSay hi.\n"})


@dataclass
class Told:
    """A target that does one thing after the other, then the last again and again."""

    acts: list[Attempt | Broken | Exception]
    identity: str = "told"
    ran: list[tuple[str, Package | None, int]] = field(default_factory=list)

    def run(self, case: Case, skill: Package | None, sample: int) -> Attempt | Broken:
        self.ran.append((case.id, skill, sample))
        act = self.acts[min(len(self.ran), len(self.acts)) - 1]
        if isinstance(act, Exception):
            raise act
        return act


def scoring(*acts: Attempt | Broken | Exception, pauses: list[float] | None = None) -> ScoringRoller:
    return ScoringRoller(
        target=Told(list(acts)), scorers=Scorers(), sleep=(pauses if pauses is not None else []).append
    )


def test_an_attempt_becomes_a_rollout_with_all_it_took() -> None:
    tokens = Tokens(input=3, output=1)
    attempt = Attempt(output="hi", trace="t", tokens=tokens, cost_usd=0.5, seconds=2.0)
    rolled = scoring(attempt).roll(CASE, SKILL, 4)
    assert rolled == Rollout(
        case="c",
        skill_hash=SKILL.hash(),
        target="told",
        score=Scored(hard=1, soft=1),
        sample=4,
        output="hi",
        trace="t",
        tokens=tokens,
        cost_usd=0.5,
        seconds=2.0,
    )
    assert loads(Rollout, dumps(rolled)) == rolled
    assert is_scored(rolled)


def test_without_a_skill_the_hash_is_empty() -> None:
    rolled = scoring(Attempt(output="no")).roll(CASE, None, 0)
    assert isinstance(rolled, Rollout)
    assert (rolled.skill_hash, rolled.score) == ("", Scored(hard=0, soft=0))


def test_what_may_work_the_next_time_is_tried_again_with_growing_pauses() -> None:
    pauses: list[float] = []
    rolled = scoring(Broken(reason="busy"), Broken(reason="busy"), Attempt(output="hi"), pauses=pauses).roll(
        CASE, None, 0
    )
    assert isinstance(rolled, Rollout)
    assert rolled.score == Scored(hard=1, soft=1)
    assert pauses == [1.0, 2.0]


@pytest.mark.parametrize(
    ("act", "tries"),
    [(Broken(reason="down"), 3), (Broken(reason="down", again=False), 1), (ValueError("down"), 1)],
)
def test_a_failure_of_the_world_is_unscored_never_a_score_of_0(act: Broken | Exception, tries: int) -> None:
    roller = scoring(act)
    rolled = roller.roll(CASE, SKILL, 0)
    assert isinstance(rolled, Rollout)
    assert isinstance(rolled.score, Unscored)
    assert "down" in rolled.score.reason
    assert len(roller.target.ran) == tries  # type: ignore[attr-defined]
    assert loads(Rollout, dumps(rolled)) == rolled
    assert not is_scored(rolled)


def test_a_spent_budget_stops_at_once() -> None:
    roller = scoring(Broken(reason="no money", spent=True))
    assert roller.roll(CASE, None, 0) == BudgetSpent(reason="no money")
    assert len(roller.target.ran) == 1  # type: ignore[attr-defined]


def test_an_attempt_is_scored_as_it_is_and_kept_redacted() -> None:
    roller = replace(scoring(Attempt(output="hi", trace="hi there")), redact=lambda text: text.replace("hi", "[x]"))
    rolled = roller.roll(CASE, None, 0)
    assert isinstance(rolled, Rollout)
    assert (rolled.score, rolled.output, rolled.trace) == (Scored(hard=1, soft=1), "[x]", "[x] there")


def test_what_no_store_can_hold_is_taken_out_before_anybody_scores_it() -> None:
    case = replace(CASE, scorer='{"kind": "regex", "pattern": "hi"}')
    rolled = scoring(Attempt(output="hi\0\ud800", trace="\0")).roll(case, None, 0)
    assert isinstance(rolled, Rollout)
    assert (rolled.score, rolled.output, rolled.trace) == (Scored(hard=1, soft=1), "hi\ufffd\ufffd", "\ufffd")


def test_a_redactor_that_fails_keeps_nothing() -> None:
    def broken(text: str) -> str:
        raise ValueError(text)

    rolled = replace(scoring(Attempt(output="hi")), redact=broken).roll(CASE, None, 0)
    assert isinstance(rolled, Rollout)
    assert rolled.output == "(left out: the redactor failed with ValueError)"


@pytest.mark.parametrize(
    "change", [{"id": "d"}, {"input": "x"}, {"expected": "x"}, {"scorer": "contains"}, {"files": (("a", "b"),)}]
)
def test_whatever_determines_a_rollout_is_in_its_key(change: dict[str, str]) -> None:
    key = rollout_key(CASE, "h", "t", 0)
    assert key != rollout_key(replace(CASE, **change), "h", "t", 0)  # type: ignore[arg-type]
    assert (
        len({key, rollout_key(CASE, "", "t", 0), rollout_key(CASE, "h", "u", 0), rollout_key(CASE, "h", "t", 1)}) == 4
    )


def test_side_and_tags_are_not_in_the_key() -> None:
    assert rollout_key(CASE, "h", "t", 0) == rollout_key(replace(CASE, split="val", tags=("x",)), "h", "t", 0)


def test_the_key_of_a_roller_is_that_of_target_skill_and_sample() -> None:
    roller = scoring(Attempt(output="hi"))
    assert roller.key(CASE, SKILL, 2) == rollout_key(CASE, SKILL.hash(), "told", 2)
    assert roller.key(CASE, None, 2) == rollout_key(CASE, "", "told", 2)
