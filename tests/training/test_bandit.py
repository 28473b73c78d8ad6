"""Another way to propose when accepts dry up: decided by the steps so far and the seed, and on the record."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, get_args

import pytest
from training_toys import DOWN, TEXT, Rules, run

from metier.models.model import Reply
from metier.training.bandit import WAYS, proposer
from metier.training.result import Judged, Step, Unjudged
from metier.training.rollouts.pool import Threads
from metier.training.spec import Spec, Update
from metier.types.trials import Decision

if TYPE_CHECKING:
    from metier.models.failures import Failure
    from metier.models.model import Request

BANDIT = Spec(bandit=True, plateau=2)


def step(number: int, way: Update, action: str) -> Step:
    judged = Judged(change="step", skill_hash="h", decision=Decision(action=action, reason=""), scores=None)  # type: ignore[arg-type]
    waits = Unjudged(change="step", reason="wait", waits=action == "waits")
    outcome = waits if action in ("waits", "nothing") else judged
    return Step(step=number, epoch=1, cases=(), failed=0, passed=0, unscored=0, outcome=outcome, proposer=way)


def history(*made: tuple[Update, str]) -> tuple[Step, ...]:
    return tuple(step(number, *one) for number, one in enumerate(made, 1))


def test_the_ways_are_those_of_the_settings() -> None:
    assert get_args(Update) == WAYS


@pytest.mark.parametrize("usual", WAYS)
def test_it_stays_with_the_usual_way_while_accepts_come(usual: Update) -> None:
    spec = replace(BANDIT, update=usual)
    assert proposer(spec, ()) == usual
    assert proposer(spec, history((usual, "reject"))) == usual
    assert proposer(spec, history((usual, "reject"), (usual, "accept"), (usual, "reject"))) == usual


def test_after_a_plateau_another_has_its_turn_and_stays_while_it_is_right() -> None:
    dry = (("patch", "reject"), ("patch", "reject"))
    other = proposer(BANDIT, history(*dry))
    assert other != "patch"
    assert proposer(BANDIT, history(*dry, (other, "reject"))) == other
    assert proposer(BANDIT, history(*dry, (other, "reject"), (other, "accept_new_best"), (other, "reject"))) == other
    assert proposer(BANDIT, history(*dry, (other, "reject"), (other, "reject"))) != other


def test_steps_whose_edits_wait_say_nothing_and_steps_without_anything_count() -> None:
    assert proposer(BANDIT, history(*[("patch", "waits")] * 5, ("patch", "reject"))) == "patch"
    assert proposer(BANDIT, history(("patch", "reject"), *[("patch", "waits")] * 5, ("patch", "reject"))) != "patch"
    assert proposer(BANDIT, history(("patch", "nothing"), ("patch", "nothing"))) != "patch"


def test_several_candidates_of_one_step_are_one_turn() -> None:
    tried = tuple(
        replace(one, step=1) for one in history(("patch", "accept"), ("patch", "reject"), ("patch", "reject"))
    )
    assert proposer(BANDIT, tried) == "patch"
    lost = tuple(replace(one, step=1) for one in history(*[("patch", "reject")] * 5))
    assert proposer(BANDIT, lost) == "patch"


def test_who_was_right_before_is_asked_more_often() -> None:
    known = [("rewrite", "accept"), *[("rewrite", "reject")] * 1] * 6 + [("full_rewrite", "reject")] * 9
    past = history(*known, ("patch", "reject"), ("patch", "reject"))
    chosen = [proposer(replace(BANDIT, seed=seed), past) for seed in range(40)]
    assert chosen.count("rewrite") > 30
    assert chosen == [proposer(replace(BANDIT, seed=seed), past) for seed in range(40)]
    unknown = [proposer(replace(BANDIT, seed=seed), history(*[("patch", "reject")] * 2)) for seed in range(40)]
    assert 5 < unknown.count("rewrite") < 35


def test_the_first_rewrite_counts_for_whole_documents() -> None:
    zero = step(0, "full_rewrite", "reject")
    assert proposer(BANDIT, (zero,)) == "patch"
    assert proposer(BANDIT, (zero, *history(("patch", "reject")))) == "patch"


class Stubborn:
    """An optimiser whose edits are of no use, and whose documents are."""

    identity = "stubborn"

    def complete(self, request: Request) -> Reply:
        known = sum(f"- rule-{number}" in request.messages[0].text for number in range(6))
        better = TEXT + "".join(f"- rule-{number}\n" for number in range(min(6, known + 1)))
        said = {
            "edits": [{"op": "append", "content": "Be kind."}],
            "suggestions": [{"title": "kind", "instruction": "Be kind."}],
            "new_skill": better if request.stage != "rewrite" else f"{TEXT}Be kind.\n",
        }
        return Reply(text=json.dumps(said))

    def embed(self, texts: object) -> Failure:
        del texts
        return DOWN


TRAINED = Spec(
    epochs=6,
    batch=12,
    minibatch=12,
    schedule="constant",
    slow=False,
    meta=False,
    baselines=False,
    bandit=True,
    plateau=2,
)


@pytest.mark.parametrize("gate", ["strict", "staged", "screen"])
def test_a_training_leaves_a_plateau_and_says_how(gate: str) -> None:
    spec = replace(TRAINED, gate=gate, screen_edits=2, block=6)
    ran = run(spec, model=Stubborn())
    assert "- rule-0" in ran.text
    assert "- rule" not in run(replace(spec, bandit=False), model=Stubborn()).text
    ways = [one.proposer for one in ran.trained.steps]
    assert ways[:2] == ["patch", "patch"]
    switched = ran.of("switched")
    first = ways.index("patch") + (4 if gate == "screen" else 2)  # what waits to be screened is nothing yet
    assert switched[0].line().startswith(f"step {first + 1}: nothing accepted in 2 steps of patch; now ")
    changes = [number for number, (one, two) in enumerate(pairwise(ways), 2) if one != two]
    assert [event.step for event in switched] == changes
    accepted = {one.proposer for one in ran.trained.steps if "accept_new_best" in str(one.outcome)}
    assert accepted == {"full_rewrite"}


def test_it_ends_the_same_whatever_the_threads_do() -> None:
    first = run(TRAINED, model=Stubborn())
    with Threads(6) as pool:
        again = run(TRAINED, pool=pool, world=Rules(slow=0.001), model=Stubborn())
    assert (again.trained, again.events) == (first.trained, first.events)


def test_unless_asked_for_nobody_else_proposes() -> None:
    ran = run(replace(TRAINED, bandit=False), model=Stubborn())
    assert {one.proposer for one in ran.trained.steps} == {"patch"}
    assert not ran.of("switched")
