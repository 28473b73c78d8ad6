"""Trials: half of the sessions, one run each, and only what the outcomes show is acted on."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from learn_world import Clock, opened
from trial_world import SKILL, arm, asked, begun, entered, past, ready, selection_of, session_run

from metier.errors import ConflictError, NotFoundError, RefusedError
from metier.library.changes import change_status
from metier.proof.learn_and_prove import proof_notes
from metier.proof.receipts import receipts_of
from metier.proof.trials.due import DueRate
from metier.proof.trials.plan import latest_end, most_runs, plan_trial
from metier.proof.trials.state import look_at_trial
from metier.proof.trials.trials import find_trial, list_trials, offer_trial, settle_trials, start_trial, stop_trial
from metier.selection.worth.outcomes import update_worths
from metier.store.tables.selection import selections

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from metier.proof.trials.state import TrialState
    from metier.types.proof import Trial
    from metier.workspace import Workspace


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def shop(tmp_path: Path, clock: Clock) -> Iterator[Workspace]:
    """A workspace in which a skill was due in forty sessions of the last two days."""
    with opened(tmp_path / "shop", clock) as ws:
        past(ready(ws))
        clock.later(days=2)
        yield ws


def looked_at(ws: Workspace, trial: Trial) -> TrialState:
    update_worths(ws.context)
    return look_at_trial(ws.context, trial)


def test_an_offer_says_what_each_gain_takes_at_the_rate_of_this_workspace(shop: Workspace) -> None:
    offer = offer_trial(shop.library, SKILL)
    assert offer.agents == ("claude-code",), "Codex and Copilot look into .agents/skills themselves"
    assert (offer.rate.sessions, offer.rate.a_day, round(offer.rate.success, 2)) == (40, 20.0, 0.6)
    assert [one.gain for one in offer.plans] == [0.1, 0.2, 0.3]
    runs = [one.runs or 0 for one in offer.plans]
    assert runs[0] > runs[1] > runs[2] > 50
    assert [one.days for one in offer.plans] == [count / 20 for count in runs]
    assert all(one.ends > shop.context.now()[:10] for one in offer.plans)


def test_what_takes_more_than_ninety_days_is_refused_unless_forced(tmp_path: Path) -> None:
    clock = Clock()
    with opened(tmp_path / "slow", clock) as ws:
        past(ready(ws), sessions=10)
        clock.later(days=20)
        offer = offer_trial(ws.library, SKILL)
        with pytest.raises(RefusedError, match=r"would take about .* days.*--force"):
            start_trial(ws.library, offer, 0.1)
        assert list_trials(ws.context) == []
        assert start_trial(ws.library, offer, 0.1, force=True).status == "running"


def test_a_skill_that_is_never_due_or_that_agents_see_themselves_is_refused(shop: Workspace) -> None:
    with pytest.raises(RefusedError, match="in no session"):
        start_trial(shop.library, offer_trial(shop.library, "sql-style"), 0.3)
    link = shop.root / ".claude/skills" / SKILL
    link.parent.mkdir(parents=True)
    link.symlink_to(shop.root / ".agents/skills" / SKILL, target_is_directory=True)
    with pytest.raises(RefusedError, match=r"cannot be withheld: agents find it in \.claude/skills"):
        offer_trial(shop.library, SKILL)
    link.unlink()
    shop.pin(SKILL)
    with pytest.raises(RefusedError, match="pinned"):
        offer_trial(shop.library, SKILL)


def test_one_trial_of_a_skill_runs_at_a_time_and_stopping_gives_it_to_everybody_again(shop: Workspace) -> None:
    trial = begun(shop)
    with pytest.raises(ConflictError, match="runs already"):
        begun(shop)
    out = next(f"s{number}" for number in range(50) if arm(shop, trial, f"s{number}") == "without")
    assert not asked(shop, out, "one")
    assert stop_trial(shop.library, SKILL, "enough").trial.status == "stopped"
    assert asked(shop, out, "two")
    with pytest.raises(RefusedError, match="ended already"):
        stop_trial(shop.library, SKILL)
    with pytest.raises(NotFoundError, match="metier trial start"):
        find_trial(shop.context, "sql-style")
    assert begun(shop).id != trial.id


def test_a_helpful_provisional_skill_becomes_active_and_a_harmful_one_is_paused(shop: Workspace) -> None:
    found = shop.library.find(SKILL)
    last = found.last()
    assert last
    change_status(shop.context, found, last, "wake", status="provisional", why="as learned")
    trial = begun(shop, 0.3)
    entered(shop, trial, range(10))
    [early] = settle_trials(shop.library)
    assert (early.trial.status, early.result.runs, early.note) == ("running", 10, "")
    entered(shop, trial, range(10, 30))
    [done] = settle_trials(shop.library)
    assert (done.trial.status, shop.history(SKILL)[-1].status) == ("helps", "active")
    assert "its trial says that it helps" in shop.history(SKILL)[-1].summary
    assert "Undo: metier skills archive" in done.note
    assert settle_trials(shop.library) == [], "it is said once"
    (shop.root / ".claude/skills" / SKILL).unlink(missing_ok=True)
    worse = begun(shop, 0.3)
    entered(shop, worse, range(100, 140), good="without")
    [done] = settle_trials(shop.library)
    assert (done.trial.status, shop.history(SKILL)[-1].status) == ("hurts", "archived")
    assert "Undo: metier skills restore" in done.note


@pytest.mark.parametrize(("with_it", "without", "status"), [(0.62, 0.58, "active"), (0.58, 0.62, "archived")])
def test_what_cannot_be_told_in_the_planned_runs_stays_unless_it_went_worse(
    shop: Workspace, with_it: float, without: float, status: str
) -> None:
    trial = begun(shop, 0.3)
    names = [f"s{number}" for number in range(trial.most)]
    with shop.context.store.write() as transaction:
        for name in names:
            selections.put(transaction, selection_of(shop, trial, name))
    sides = {side: [name for name in names if arm(shop, trial, name) == side] for side in ("with", "without")}
    good = {
        name
        for side, share in (("with", with_it), ("without", without))
        for at, name in enumerate(sides[side])
        if int((at + 1) * share) > int(at * share)
    }
    shop.deliver(session_run(name, success=name in good, turn=name) for name in names)
    [done] = settle_trials(shop.library)
    assert (done.trial.status, shop.history(SKILL)[-1].status) == ("undecided", status)
    assert done.trial.reason.startswith("too few runs to tell")
    assert (f"Undo: metier skills restore {SKILL}" in done.note) == (status == "archived")


def test_a_trial_ends_only_when_its_choice_is_right_to_within_a_hundredth_however_slow_the_workspace() -> None:
    slow = DueRate(sessions=56, days=28.0, judged=56, succeeded=34)
    fast = DueRate(sessions=2_240, days=28.0, judged=2_240, succeeded=1_344)
    steady = DueRate(sessions=560, days=28.0, judged=560, succeeded=550)
    plans = {rate: plan_trial(rate, "2026-01-05T12:00:00Z")[2] for rate in (slow, fast)}
    lengths = [most_runs(plans[rate], rate) for rate in (slow, fast)]
    for length in lengths:
        worst = 0.17 * 2 * (0.24 / length) ** 0.5 / 0.8  # a tenth of the verdicts is wrong
        assert worst <= 0.01
    assert abs(lengths[0] - lengths[1]) < 20, "the rate decides how long it takes, not how sure it is"
    assert most_runs(plan_trial(steady, "2026-01-05T12:00:00Z")[0], steady) >= 400, "the future may be less regular"
    assert latest_end(lengths[0], slow, "2026-01-05T12:00:00Z") == "2026-11-01"


def test_a_session_counts_once_the_same_run_twice_too_and_no_clock_plays_a_part(shop: Workspace, clock: Clock) -> None:
    trial = begun(shop)
    entered(shop, trial, range(6))
    first = looked_at(shop, trial)
    clock.later(days=-400)
    entered(shop, trial, range(6))
    with shop.context.store.write() as transaction:
        again = replace(selection_of(shop, trial, "s1"), id="ab" * 16, created="1999-01-01T00:00:00Z")
        selections.put(transaction, again)
    clock.later(days=4000)
    entered(shop, trial, range(6))
    assert looked_at(shop, trial) == first
    assert (first.sessions, first.result.runs, first.waiting) == (6, 6, 0)
    [late] = settle_trials(shop.library)
    assert late.trial.status == "running", "a clock that jumps ends nothing"
    assert "is overdue" in late.note
    overdue = [any("is overdue" in one for one in proof_notes(shop.library)) for _ in range(2)]
    assert overdue == [True, False], "a pass asks once a day"


def test_nobody_can_choose_their_arm(shop: Workspace) -> None:
    trial = begun(shop)
    entered(shop, trial, range(4))
    forged = selection_of(shop, trial, "s9")
    other = "without" if arm(shop, trial, "s9") == "with" else "with"
    with shop.context.store.write() as transaction:
        selections.put(transaction, replace(forged, trials=(replace(forged.trials[0], arm=other),)))
    shop.deliver([session_run("s9", success=True, turn="s9")])
    found = looked_at(shop, trial)
    assert (found.sessions, found.result.runs, found.unverified) == (5, 4, 1)


def test_a_failure_outside_the_work_is_in_neither_arm_and_an_unknown_outcome_waits(shop: Workspace) -> None:
    trial = begun(shop)
    entered(shop, trial, range(4))
    with shop.context.store.write() as transaction:
        for name in ("down", "stopped", "failed", "open"):
            selections.put(transaction, selection_of(shop, trial, name))
    shop.deliver(
        [
            session_run("down", success=None, turn="down", status="error", output="API Error: 529 overloaded"),
            session_run("stopped", success=None, turn="stopped", status="aborted", output=""),
            session_run("failed", success=None, turn="failed", status="error", output="The tests fail, I give up."),
        ]
    )
    found = looked_at(shop, trial)
    assert (found.sessions, found.outside, found.result.runs, found.waiting) == (8, 2, 5, 1)


def test_outcomes_keep_the_order_in_which_they_became_known(shop: Workspace) -> None:
    trial = begun(shop)
    with shop.context.store.write() as transaction:
        selections.put(transaction, selection_of(shop, trial, "late"))
    entered(shop, trial, range(8))
    before = looked_at(shop, trial)
    shop.deliver([session_run("late", success=False, turn="late")])
    after = looked_at(shop, trial)
    assert (before.result.runs, after.result.runs) == (8, 9)
    assert after.result.helps >= before.result.helps, "what was seen before is seen first"


def test_another_text_of_the_skill_ends_the_trial(shop: Workspace) -> None:
    trial = begun(shop)
    entered(shop, trial, range(4))
    file = shop.root / ".agents/skills" / SKILL / "SKILL.md"
    file.write_text(file.read_text(encoding="utf-8") + "\nAnd once more.\n", encoding="utf-8")
    shop.record_hand_edits()
    [done] = settle_trials(shop.library)
    assert done.trial.status == "stopped"
    assert "changed or taken away" in done.trial.reason


def test_what_is_proven_on_one_model_is_provisional_on_another(shop: Workspace) -> None:
    trial = begun(shop, 0.3)
    entered(shop, trial, range(30), model="opus")
    entered(shop, trial, range(30, 34), model="haiku")
    settle_trials(shop.library)
    found = {one.model: one.standing for one in receipts_of(shop.library, SKILL, shop.history(SKILL))}
    assert found == {"opus": "proven", "haiku": "provisional"}
    shop.deliver([session_run("other", success=True, model="sonnet")])
    why = {one.model: one.why for one in receipts_of(shop.library, SKILL, shop.history(SKILL))}
    assert why["sonnet"] == "nothing was measured on it"
    assert why["opus"].startswith("trial: ")
