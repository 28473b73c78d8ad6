"""A workspace with a skill that the hook gives, and sessions of Claude Code in which it is due."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

from selection_shop import FLAKY, stocked

from metier.hooks.agents import selection_id
from metier.hooks.trial import arm_of
from metier.proof.trials.trials import offer_trial, start_trial
from metier.store.tables.selection import selections
from metier.types import Candidate, Outcome, Run, Selection
from metier.types.selections import Assignment

if TYPE_CHECKING:
    from metier.types.proof import Trial
    from metier.workspace import Workspace

SKILL = "flaky-tests"


def ready(ws: Workspace) -> Workspace:
    """The workspace with its skills ready for the hook."""
    stocked(ws).record_hand_edits()
    for _ in ws.index_skills():
        pass
    return ws


def past(ws: Workspace, sessions: int = 40, share: float = 0.6) -> None:
    """Sessions of the last days in which the skill was due; that share of them went well."""
    ws.deliver(
        session_run(f"past{number}", success=number < share * sessions, at=ws.context.now())
        for number in range(sessions)
    )


def session_run(session: str, *, success: bool | None, at: str = "", turn: str = "", **more: object) -> Run:
    """A run in which the skill was due."""
    fields: dict[str, object] = {
        "message": FLAKY,
        "output": "Done.",
        "status": "completed",
        "session": session,
        "agent": "claude-code",
        "external_id": f"{session} {turn}",
        "started": at or None,
        "outcome": None if success is None else Outcome(success=success, by="test"),
        "selection": selection_id(turn) if turn else "",
    }
    return Run(**(fields | more))  # type: ignore[arg-type]


def asked(ws: Workspace, session: str, turn: str) -> bool:
    """Whether the hook gave the skill to a session."""
    payload = {"prompt": FLAKY, "cwd": str(ws.root), "session_id": session, "prompt_id": turn}
    command = [sys.executable, "-m", "metier.hooks.select"]
    done = subprocess.run(command, input=json.dumps(payload), capture_output=True, text=True, check=True, timeout=30)
    return SKILL in done.stdout


def arm(ws: Workspace, trial: Trial, session: str) -> str:
    """The side of a trial that a session is on."""
    return arm_of(ws.context.key, trial.id, session)


def begun(ws: Workspace, gain: float = 0.2) -> Trial:
    """A trial of the skill that has just started."""
    return start_trial(ws.library, offer_trial(ws.library, SKILL), gain)


def entered(ws: Workspace, trial: Trial, sessions: range, **more: object) -> None:
    """Sessions with a selection that the trial decided about; `good` says which of the arms goes well."""
    good = more.pop("good", "with")
    with ws.context.store.write() as transaction:
        for number in sessions:
            selections.put(transaction, selection_of(ws, trial, f"s{number}"))
    ws.deliver(
        session_run(f"s{number}", success=arm(ws, trial, f"s{number}") == good, turn=f"s{number}", **more)
        for number in sessions
    )


def selection_of(ws: Workspace, trial: Trial, session: str) -> Selection:
    """What the hook notes about a session of a trial."""
    side = arm(ws, trial, session)
    held = Candidate(skill=trial.skill, score=0.9, hash=trial.hash)
    return Selection(
        id=session_run(session, success=None, turn=session).selection,
        workspace=ws.name,
        query=FLAKY,
        session=session,
        created=ws.context.now(),
        chosen=(trial.skill,) if side == "with" else (),
        chosen_hashes=(trial.hash,) if side == "with" else (),
        withheld=() if side == "with" else (held,),
        trials=(Assignment(trial=trial.id, skill=trial.skill, arm="with" if side == "with" else "without"),),
    )
