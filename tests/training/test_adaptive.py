"""The adaptive gate: little effort while it brings something, more when it does not."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from training_toys import Rules, run, splits

from tacit.models.model import Reply
from tacit.models.scripted import Scripted, on
from tacit.training.presets import default_spec

if TYPE_CHECKING:
    from tacit.models.model import Request


def proposer(line: str) -> Scripted:
    """New lines at every question, four at a time, in the words of `line`."""
    asked = Counter[str]()

    def answer(request: Request) -> Reply:
        asked["asked"] += request.stage == "reflect"
        new = [line.format(4 * asked["asked"] + number - 4) for number in range(4)]
        return Reply(text=json.dumps({"edits": [{"op": "append", "content": one} for one in new]}))

    return Scripted(on(".", answer))


def screenings(world: Rules, val: int) -> list[int]:
    """Rollouts of val cases beside those of the initial skill and of what was accepted, by attempt."""
    attempts = Counter(sample for case, _, sample in world.made.elements() if case.startswith("val"))
    return [attempts[sample] // val for sample in sorted(attempts) if sample]


SPEC = default_spec(
    epochs=1, batch=8, minibatch=8, screen_edits=4, slow=False, meta=False, baselines=False, ahead=False
)


def test_screenings_that_bring_nothing_go_over_the_cases_more_often_up_to_a_limit() -> None:
    world = Rules()
    ran = run(SPEC, world=world, model=proposer("- talk {}"), cases=splits(train=40, val=12))
    assert set(ran.actions) == {"reject"}
    assert len(ran.actions) == 5
    assert screenings(world, 12) == [2] * (1 + 2 + 3 + 3 + 3), "two halves for every case, in each attempt"


def test_a_screening_that_brings_something_is_followed_by_one_as_cheap() -> None:
    world = Rules()
    ran = run(SPEC, world=world, model=proposer("- rule-{}"), cases=splits(train=16, val=24, rules=8))
    assert ran.actions == ["accept_new_best", "accept_new_best"]
    assert screenings(world, 24) == [2, 2]
    assert ran.trained.best_step == 2


@pytest.mark.parametrize("gate", ["screen", "adaptive"])
def test_a_rewrite_is_judged_in_one_piece(gate: str) -> None:
    ran = run(default_spec(gate=gate, update="full_rewrite", epochs=1, batch=12, baselines=False), model=rewriter())
    assert ran.actions[0] == "accept_new_best"
    assert "- rule-1" in ran.text


def rewriter() -> Scripted:
    text = "---\nname: toy\ndescription: Use it for toys.\n---\n- rule-0\n- rule-1\n- rule-2\n"
    return Scripted(on(".", lambda _: Reply(text=json.dumps({"new_skill": text, "failure_patterns": []}))))
