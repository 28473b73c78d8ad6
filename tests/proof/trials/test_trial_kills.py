"""Assignment and outcome survive a kill at any moment: sides stay, nothing counts twice, the verdict acts once."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING

import pytest
from crash import killed
from learn_world import Clock, opened
from selection_shop import FLAKY
from trial_world import SKILL, arm, past, ready, session_run

from metier.hooks.select import select
from metier.library.changes import change_status
from metier.proof.trials.state import look_at_trial
from metier.proof.trials.trials import offer_trial, settle_trials, start_trial
from metier.selection.worth.outcomes import update_worths
from metier.store.tables.selection import selections, trials
from metier.types import Candidate, Selection
from metier.types.selections import Assignment

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from metier.types.proof import Trial
    from metier.workspace import Workspace

MOST = 200
"""Moments at which a process is killed, at most."""


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Workspace]:
    """A workspace with a provisional skill that was due in forty sessions."""
    clock = Clock()
    with opened(tmp_path / "shop", clock) as ws:
        past(ready(ws))
        clock.later(days=2)
        found = ws.library.find(SKILL)
        last = found.last()
        assert last
        change_status(ws.context, found, last, "wake", status="provisional")
        yield ws


def entered(ws: Workspace, trial: Trial, session: str) -> None:
    side = arm(ws, trial, session)
    run = session_run(session, success=side == "with", turn=session)
    held = Candidate(skill=SKILL, score=0.9, hash=trial.hash)
    with ws.context.store.write() as transaction:
        selections.put(
            transaction,
            Selection(
                id=run.selection,
                workspace=ws.name,
                query=FLAKY,
                session=session,
                created=ws.context.now(),
                chosen=(SKILL,) if side == "with" else (),
                chosen_hashes=(trial.hash,) if side == "with" else (),
                withheld=() if side == "with" else (held,),
                trials=(Assignment(trial=trial.id, skill=SKILL, arm="with" if side == "with" else "without"),),
            ),
        )
    ws.deliver([run])


def test_a_verdict_that_is_killed_again_and_again_acts_once(shop: Workspace) -> None:
    trial = start_trial(shop.library, offer_trial(shop.library, SKILL), 0.3)
    for number in range(30):
        entered(shop, trial, f"s{number}")
    root, now = shop.root, shop.context.clock
    shop.close()

    def settle() -> None:
        with opened(root, now) as ws:  # type: ignore[arg-type]
            settle_trials(ws.library)

    kills = next(at for at in range(1, MOST) if not killed(settle, at))
    assert kills > 5, "it was killed in the middle of something"
    with opened(root, now) as ws:  # type: ignore[arg-type]
        settle_trials(ws.library)
        state = look_at_trial(ws.context, trials_of(ws)[0])
        assert (state.trial.status, state.result.runs) == ("helps", 30)
        statuses = [one.status for one in ws.history(SKILL)]
        assert statuses[-1] == "active"
        assert statuses.count("active") == 2, "as it was found, and as it was promoted"


def trials_of(ws: Workspace) -> list[Trial]:
    with ws.context.store.read() as transaction:
        return trials.list_all(transaction)


def test_a_hook_that_is_killed_at_any_moment_leaves_every_session_on_its_side(shop: Workspace) -> None:
    trial = start_trial(shop.library, offer_trial(shop.library, SKILL), 0.3)
    state, folder = str(shop.state), str(shop.root)

    def hook(session: str) -> None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
        select(state, folder, json.loads(json.dumps({"prompt": FLAKY, "cwd": folder, "session_id": session})))

    sessions: list[str] = []
    for at in range(1, MOST):
        sessions.append(f"k{at}")
        if not killed(lambda name=sessions[-1]: hook(name), at):
            break
    shop.ingest()
    update_worths(shop.context)
    with shop.context.store.read() as transaction:
        kept = trials.sessions(transaction, trial)
    assert sessions[-1] in [one.session for one in kept], "what ended is there"
    assert len({one.session for one in kept}) == len(kept) <= len(sessions)
    assert all(one.arm == arm(shop, trial, one.session) for one in kept)
