"""A trial goes on in a copy of its store: what was seen stays, sides stay, and the person's key stays at home."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from learn_world import Clock, opened
from selection_shop import FLAKY
from states import state_of
from trial_world import SKILL, arm, begun, entered, past, ready, selection_of, session_run

from metier.library.listing import result_of
from metier.maintenance.store_copy import copy_between
from metier.proof.trials.state import look_at_trial
from metier.selection.worth.outcomes import update_worths
from metier.store.tables.selection import selections, trials

if TYPE_CHECKING:
    from pathlib import Path

    from metier.proof.trials.state import TrialState
    from metier.types.proof import Trial
    from metier.workspace import Workspace

pytestmark = pytest.mark.xdist_group("postgresql")


def looked_at(ws: Workspace, trial: Trial) -> TrialState:
    update_worths(ws.context)
    return look_at_trial(ws.context, trial)


def forge(ws: Workspace, trial: Trial, session: str) -> None:
    """A session that somebody put on the other side."""
    made = selection_of(ws, trial, session)
    other = "without" if arm(ws, trial, session) == "with" else "with"
    with ws.context.store.write() as transaction:
        selections.put(transaction, replace(made, trials=(replace(made.trials[0], arm=other),)))
    ws.deliver([session_run(session, success=True, turn=session)])


def asks(ws: Workspace, session: str) -> bool:
    """Whether a session that asks for skills and then runs was given the skill."""
    found = ws.select(FLAKY, agent="claude-code", session=session, model=False)
    given = SKILL in [one.skill.name for one in found.choice.chosen]
    ws.deliver([session_run(session, success=given, selection=found.id)])
    return given


def test_a_trial_goes_on_on_a_server_and_back_in_a_file(tmp_path: Path, new_postgres: str) -> None:
    clock, shop = Clock(), tmp_path / "shop"
    with opened(shop, clock) as ws:
        past(ready(ws))
        clock.later(days=2)
        trial = begun(ws)
        entered(ws, trial, range(8))
        forge(ws, trial, "forged")
        before, key, now = looked_at(ws, trial), ws.context.key, ws.context.now()
        sides = {f"s{number}": arm(ws, trial, f"s{number}") for number in range(8)}
    assert (before.result.runs, before.unverified) == (8, 1)
    for _ in range(2):  # the second time it is all there already
        result_of(copy_between(str(shop), new_postgres, key, now))
    with opened(shop, clock, store=new_postgres) as ws:
        assert looked_at(ws, trial) == before, "what was seen stays"
        with ws.context.store.read() as transaction:
            assert trials.shared_key(transaction) not in (b"", key), "nobody's own key leaves the machine"
        assert {name: asks(ws, name) for name in sides} == {name: side == "with" for name, side in sides.items()}
        for number in range(30):
            asks(ws, f"new{number}")
        later = looked_at(ws, trial)
        assert (later.result.runs, later.unverified) == (38, 1)
        assert later.result.helps > before.result.helps
    for old in state_of(shop).glob("metier.db*"):
        old.unlink()
    result_of(copy_between(new_postgres, str(shop), key, now))
    with opened(shop, clock) as ws:
        assert looked_at(ws, trial) == later
        entered(ws, trial, range(100, 104))
        assert looked_at(ws, trial).result.runs == 42
