"""Proven on one model is provisional on another: status, weight and words follow the model in use."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from learn_world import Clock, opened
from trial_world import SKILL, begun, entered, past, ready, session_run

from metier.proof.learn_and_prove import proof_notes
from metier.proof.model_change import follow_model, model_in_use
from metier.proof.receipts import ModelReceipt, proven_models, receipts_of_gates
from metier.proof.trials.trials import settle_trials
from metier.selection.worth.outcomes import worths
from metier.types.skills import Version

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from metier.workspace import Workspace


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Workspace]:
    """A workspace in which a skill was due in forty sessions of the last two days."""
    clock = Clock()
    with opened(tmp_path / "shop", clock) as ws:
        past(ready(ws))
        clock.later(days=2)
        yield ws


def used(ws: Workspace, model: str, count: int, name: str) -> None:
    """Runs with a model, in which no skill was due."""
    ws.deliver(session_run(f"{name}{at}", success=True, model=model, message=f"say {name} {at}") for at in range(count))


def proven_on_opus(ws: Workspace) -> None:
    trial = begun(ws, 0.3)
    entered(ws, trial, range(40), model="opus-20260101")
    [done] = settle_trials(ws.library)
    assert done.trial.status == "helps"


def test_the_model_in_use_is_that_of_most_of_the_newest_runs(shop: Workspace) -> None:
    assert model_in_use(shop.context) == "", "no run names its model"
    used(shop, "opus-20260101", 9, "few")
    assert model_in_use(shop.context) == "", "too few to tell"
    used(shop, "opus", 30, "more")
    assert model_in_use(shop.context) == "opus", "a date makes no other model"
    used(shop, "haiku", 5, "once")
    assert model_in_use(shop.context) == "opus", "five runs are no change"
    used(shop, "haiku", 30, "often")
    assert model_in_use(shop.context) == "haiku"


def test_a_skill_proven_on_one_model_is_provisional_on_the_next_until_it_is_measured_there(shop: Workspace) -> None:
    proven_on_opus(shop)
    assert follow_model(shop.library) == ()
    assert (shop.history(SKILL)[-1].status, worths(shop.library)[SKILL].adjustment.factor > 1) == ("active", True)
    used(shop, "sonnet", 40, "new")
    (said,) = [one for one in proof_notes(shop.library) if SKILL in one]
    assert said == (
        f"{SKILL} is provisional on sonnet: proven on opus-20260101 only. It stays in use."
        f" Find out whether it helps there: metier trial start {SKILL}"
    )
    now = shop.history(SKILL)[-1]
    assert (now.status, now.hash) == ("provisional", shop.history(SKILL)[0].hash), "its text is the same"
    worth = worths(shop.library)[SKILL].adjustment
    assert worth.factor == 1.0
    assert "on another model: not counted now" in worth.reason
    assert follow_model(shop.library) == (), "it is said once"
    used(shop, "opus", 60, "back")
    assert follow_model(shop.library) == (f"{SKILL} is active again: it is proven on opus, which your runs use now.",)
    assert (shop.history(SKILL)[-1].status, worths(shop.library)[SKILL].adjustment.factor > 1) == ("active", True)


def test_a_trial_on_the_new_model_makes_it_active_again(shop: Workspace) -> None:
    proven_on_opus(shop)
    used(shop, "sonnet", 40, "new")
    follow_model(shop.library)
    again = begun(shop, 0.3)
    entered(shop, again, range(100, 140), model="sonnet")
    [done] = settle_trials(shop.library)
    assert (done.trial.status, shop.history(SKILL)[-1].status) == ("helps", "active")
    assert follow_model(shop.library) == ()
    assert worths(shop.library)[SKILL].adjustment.factor > 1


def test_what_hurts_on_the_model_in_use_is_paused_however_well_it_does_on_another(shop: Workspace) -> None:
    proven_on_opus(shop)
    trial = begun(shop, 0.3)
    entered(shop, trial, range(100, 160), model="opus")
    entered(shop, trial, range(200, 230), good="without", model="haiku")
    settle_trials(shop.library)
    used(shop, "haiku", 40, "new")
    (said,) = follow_model(shop.library)
    assert said.startswith(f"Paused {SKILL}: it hurts on haiku (trial: ")
    assert said.endswith(f"Undo: metier skills restore {SKILL}")
    assert shop.history(SKILL)[-1].status == "archived"


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("claude-opus-4-1", "claude-opus-4-1"),
        ("chat=anthropic:claude-haiku-4-5", "claude-haiku-4-5"),
        ("chat=openai:small@http://127.0.0.1:1/v1", "small"),
        ("agent=claude-code", ""),
        ("python=toys:answer", ""),
        ("chat", ""),
    ],
)
def test_a_target_tells_its_model_or_none(name: str, model: str) -> None:
    assert proven_models([ModelReceipt(model=name, standing="proven", why="")]) == (model,)
    assert proven_models([ModelReceipt(model=name, standing="provisional", why="")]) == ()


@pytest.mark.parametrize(
    ("receipt", "target"),
    [
        (
            "accept: replay on chat=anthropic:claude-haiku-4-5: +20.0 points on 9 fresh cases",
            "chat=anthropic:claude-haiku-4-5",
        ),
        ("force_accept: approved by a person; accept: replay on agent=codex: +9.0 points", "agent=codex"),
        ("accept: +9.0 points on 40 fresh cases; on python=toys:answer, training 12ab", "python=toys:answer"),
        ("force_accept: approved by a person; reject: replay on agent=codex: -9.0 points", ""),
        ("force_accept: a person applied it", ""),
        ("uninformative: replay on agent=codex: too few to tell", ""),
    ],
)
def test_a_receipt_proves_only_what_a_gate_accepted_and_where(receipt: str, target: str) -> None:
    version = Version(skill="s", root="r", number=1, hash="h", receipt=receipt)
    assert [one.model for one in receipts_of_gates([version], "h")] == ([target] if target else [])
