"""Trials in a store that many machines share (PostgreSQL): the same promises, with the store's own key."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from learn_world import Clock, opened
from selection_shop import FLAKY
from trial_world import SKILL, begun, ready, session_run
from waiting import line_of, running

from metier.errors import ConflictError
from metier.hooks.trial import arm_of
from metier.proof.trials.state import look_at_trial
from metier.proof.trials.trials import offer_trial, settle_trials, start_trial, stop_trial
from metier.selection.trial_arms import trial_key
from metier.selection.worth.outcomes import update_worths
from metier.store.tables.selection import selections, trials
from metier.types.selections import Assignment

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from metier.types.proof import Trial
    from metier.workspace import Workspace

pytestmark = pytest.mark.xdist_group("postgresql")


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def fleet(tmp_path: Path, new_postgres: str, clock: Clock) -> Iterator[Workspace]:
    """A workspace of a fleet in which a skill was given to eleven sessions of two days."""
    with opened(tmp_path / "shop", clock, store=new_postgres) as ws:
        ready(ws)
        for number in range(11):
            served(ws, f"past{number}", success=number < 7)
        update_worths(ws.context)
        clock.later(days=2)
        yield ws


def served(ws: Workspace, session: str, *, success: bool | None = None, agent: str = "claude-code") -> bool:
    """A session that asks for skills and then runs, well if it got the skill; whether it was given it."""
    found = ws.select(FLAKY, agent=agent, session=session, model=False)
    given = SKILL in [one.skill.name for one in found.choice.chosen]
    ws.deliver([session_run(session, success=given if success is None else success, agent=agent, selection=found.id)])
    return given


def side(ws: Workspace, trial: Trial, session: str) -> str:
    with ws.context.store.read() as transaction:
        return arm_of(trial_key(ws.context, transaction), trial.id, session)


def test_a_trial_is_planned_from_what_was_given_and_goes_to_its_verdict(fleet: Workspace) -> None:
    assert served(fleet, "own", success=False, agent="house-bot")
    offer = offer_trial(fleet.library, SKILL)
    assert offer.agents == ("claude-code", "house-bot"), "an agent of any name takes part"
    assert (offer.rate.sessions, offer.rate.a_day, round(offer.rate.success, 2)) == (12, 6.0, 0.57)
    trial = start_trial(fleet.library, offer, 0.3, force=True)
    with pytest.raises(ConflictError, match="runs already"):
        start_trial(fleet.library, offer, 0.3, force=True)
    given = {f"s{number}": served(fleet, f"s{number}") for number in range(28)}
    assert given == {name: side(fleet, trial, name) == "with" for name in given}
    assert {True, False} == set(given.values())
    [done] = settle_trials(fleet.library)
    assert (done.trial.status, done.result.runs, done.unverified) == ("helps", 28, 0)
    link = fleet.root / ".claude/skills" / SKILL
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(fleet.root / ".agents/skills" / SKILL, target_is_directory=True)
    assert offer_trial(fleet.library, SKILL).agents == ("house-bot",), "Claude Code sees it itself"


def test_nobody_can_choose_and_neither_keys_nor_clocks_nor_repeats_change_what_counts(
    fleet: Workspace, clock: Clock
) -> None:
    begun(fleet, 0.3)
    with fleet.context.store.read() as transaction:
        key = trials.shared_key(transaction)
    stop_trial(fleet.library, SKILL)
    trial = begun(fleet, 0.3)
    with fleet.context.store.read() as transaction:
        assert (trials.shared_key(transaction), len(key)) == (key, 32), "a store keeps its key"
    for number in range(5):
        served(fleet, f"s{number}", success=True)
    forge(fleet, trial, "forged")
    update_worths(fleet.context)
    first = look_at_trial(fleet.context, trial)
    assert (first.sessions, first.result.runs, first.unverified) == (6, 5, 1)
    elsewhere = replace(fleet.context, key=b"another machine")
    assert look_at_trial(elsewhere, trial) == first, "every machine sees the same sides"
    clock.later(days=-400)
    for number in range(5):
        served(fleet, f"s{number}", success=True)
    clock.later(days=4_000)
    update_worths(fleet.context)
    assert look_at_trial(fleet.context, trial) == first
    [late] = settle_trials(fleet.library)
    assert (late.trial.status, "is overdue" in late.note) == ("running", True)


def test_sides_survive_a_process_that_is_killed(fleet: Workspace, new_postgres: str) -> None:
    trial = begun(fleet, 0.3)
    command = [sys.executable, "-c", CHILD, str(fleet.root), new_postgres, FLAKY]
    with running(command, stdout=subprocess.PIPE, text=True) as child:
        for _ in range(5):
            line_of(child, child.stdout)
        child.kill()
        child.wait(timeout=30)
    before = sides_of(fleet, trial)
    assert len(before) >= 5
    assert before == {name: side(fleet, trial, name) for name in before}
    for name in before:
        served(fleet, name, success=True)
    assert sides_of(fleet, trial) == before, "a session never changes sides"


CHILD = """
import sys
from pathlib import Path
from metier.workspace import Workspace

with Workspace.open(Path(sys.argv[1]), flags={"store": sys.argv[2]}) as ws:
    for number in range(500):
        ws.select(sys.argv[3], agent="claude-code", session=f"killed{number}", model=False)
        print(number, flush=True)
"""


def sides_of(ws: Workspace, trial: Trial) -> dict[str, str]:
    with ws.context.store.read() as transaction:
        return {one.session: one.arm for one in trials.sessions(transaction, trial)}


def forge(ws: Workspace, trial: Trial, session: str) -> None:
    """A session that says it is on the other side."""
    arm = Assignment(trial=trial.id, skill=SKILL, arm="without" if side(ws, trial, session) == "with" else "with")
    with ws.context.store.write() as transaction:
        [one, *_] = selections.list_all(transaction)
        selections.put(transaction, replace(one, id="ab" * 16, session=session, run="", trials=(arm,)))
    ws.deliver([session_run(session, success=True, selection="ab" * 16)])
