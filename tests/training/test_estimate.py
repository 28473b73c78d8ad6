"""The estimate bounds what a training takes, whatever its settings."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from training_toys import TEXT, Rules, run, splits

from metier.models.model import Reply
from metier.models.scripted import Scripted, on
from metier.training.estimate import estimate
from metier.training.spec import Spec

if TYPE_CHECKING:
    from metier.models.model import Request

SPECS: list[dict[str, Any]] = [
    {},
    {"epochs": 1},
    {"epochs": 3, "batch": 7, "minibatch": 3},
    {"epochs": 2, "batch": 5, "samples": 2},
    {"epochs": 3, "slow": False, "meta": False},
    {"epochs": 3, "slow_cases": 50},
    {"epochs": 3, "slow_cases": 3, "pairs": "changed"},
    {"epochs": 2, "skill_aware": True, "consolidate_above": 1},
    {"epochs": 2, "baselines": False, "gate": "off"},
    {"epochs": 2, "schedule": "autonomous", "batch": 9, "minibatch": 2, "merge_group": 2},
    {"epochs": 2, "update": "rewrite"},
    {"epochs": 2, "update": "full_rewrite"},
    {"epochs": 2, "gate_everything": False},
    {"epochs": 2, "gate": "staged", "block": 4},
    {"epochs": 2, "gate": "screen", "screen_edits": 6, "screen_passes": 3, "skill_aware": True},
    {"epochs": 2, "gate": "adaptive", "screen_edits": 6, "screen_passes": 3},
    {"epochs": 2, "minibatch": 3, "skill_aware": True},
    {"epochs": 2, "gate": "staged", "skill_aware": True, "one_shot_first": True, "baselines": False},
    {"epochs": 3, "gate": "adaptive", "screen_edits": 6, "quick": 2},
    {"epochs": 3, "minibatch": 1, "merge_group": 2, "one_shot_first": True},
]


def busy() -> Scripted:
    """An optimiser that always has as much to propose as it may, and never the same."""
    asked: list[str] = []

    def answer(request: Request) -> Reply:
        asked.append(request.stage)
        new = [f"- rule-{len(asked) % 6} {len(asked)} {n}" for n in range(9)]
        said = {
            "edits": [{"op": "append", "content": one} for one in new],
            "suggestions": [{"title": one, "instruction": one} for one in new],
            "new_skill": TEXT + "\n".join(new),
            "labels": ["EXECUTION_LAPSE"],
            "appendix_notes": new,
            "selected_indices": list(range(9)),
            "learning_rate": 9,
            "slow_update_content": new[0],
            "meta_skill_content": new[0],
        }
        return Reply(text=json.dumps(said))

    return Scripted(on(".", answer))


@pytest.mark.parametrize("given", [*SPECS, {"epochs": 2, "ahead": False}], ids=str)
def test_no_training_takes_more_than_was_estimated(given: dict[str, Any]) -> None:
    spec, world, model = Spec.of(**{"batch": 8, **given}), Rules(), busy()
    cases = splits(train=16, val=9, test=4)
    found = estimate(cases, spec, "a skill")
    done = run(spec, world=world, model=model, cases=cases)
    assert len({one.step for one in done.trained.steps} - {0}) == found.steps
    assert world.made.total() <= found.rollouts + found.ahead
    assert len(model.requests) <= found.calls


def test_an_estimate_is_a_line_for_people() -> None:
    line = estimate(splits(), Spec.of(epochs=2, batch=8), "x" * 400).line()
    assert line.startswith("at most ")
    assert "in 6 steps" in line
    assert "started early" not in estimate(splits(), Spec.of(ahead=False), "x").line()


def test_longer_cases_and_skills_are_more_to_read() -> None:
    short, long = (estimate(splits(), Spec(), "x" * size).tokens for size in (10, 4000))
    assert long > short > 0
