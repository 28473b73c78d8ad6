"""`metier train --fleet`: rollouts made by workers, and nothing else is different."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from fleet_world import hash_of, on_fleet, opened, solver, working
from loopback import Loopback, answers
from train_world import cases, solve, trained
from waiting import until

from metier.errors import RefusedError, UsageError
from metier.events import Ended
from metier.fleet.jobs import Job
from metier.fleet.queue import QueuedJobs
from metier.training.service.order import TrainLimits
from metier.types.trials import Case

if TYPE_CHECKING:
    from pathlib import Path

    from loopback import Handler

    from metier.workspace import Workspace

pytestmark = pytest.mark.xdist_group("postgresql")


def test_a_training_on_a_fleet_has_the_hash_of_one_without(new_postgres: str, tmp_path: Path) -> None:
    with opened(tmp_path / "alone") as alone:
        here = trained(alone, solver())
    with opened(tmp_path / "many", new_postgres) as many:
        with working(many) as told:
            there = on_fleet(many, solver())
            again = on_fleet(many, solver())
            QueuedJobs(many.context).put([Job(kind="rollout", key="again", given=kept_job(many))])
            wait_for_end(many)
        said = [one.event.text for one in told if isinstance(one.event, Ended)]
        jobs = QueuedJobs(many.context).status()
    assert hash_of(there) == hash_of(again) == hash_of(here)
    assert there.trained.best.hash() != there.training.base_hash
    assert there.report["rollouts"] == here.report["rollouts"] == len(said) - 1
    assert said[-1] == "it was made before"  # a job that runs twice is made and paid once
    assert (jobs.waiting, jobs.running, jobs.failed, jobs.outcomes) == ((), (), (), ())


def kept_job(ws: Workspace) -> dict[str, str | int]:
    """What a job of a rollout that was made is given."""
    with ws.context.store.read() as transaction:
        ((key,),) = transaction.all("SELECT id FROM rollouts ORDER BY id LIMIT 1")
    return {"order": "", "case": "", "skill": "", "sample": 0, "rollout": str(key)}


def wait_for_end(ws: Workspace) -> None:
    jobs = QueuedJobs(ws.context)
    until(lambda: not (jobs.status().waiting or jobs.status().running), "the jobs", pause=0.05)


def answer(handler: Handler) -> None:
    """A model of the world: it adds when the skill holds the rule that the case needs."""
    told = [one["content"] for one in handler.asked.json["messages"]]
    found = re.search(r"(\d+) \+ 1", told[-1])
    assert found
    number = int(found[1])
    said = solve(Case(id=f"c{number}", input="", expected=str(number + 1)), "".join(told[:-1]))
    choice = {"message": {"role": "assistant", "content": said}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 10, "completion_tokens": 5}
    answers({"id": "1", "model": "m", "choices": [choice], "usage": usage})(handler)


def test_workers_pay_for_each_call_once_from_the_trainings_account(
    new_postgres: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-real-key")
    asked: list[int] = []
    with Loopback(answer) as server:
        given = solver(cases=cases(24), target=f"chat=openai:m@{server.url}", limits=TrainLimits(calls=400))
        with opened(tmp_path / "alone") as alone:
            here = trained(alone, given)
        asked.append(len(server.seen))
        with opened(tmp_path / "many", new_postgres) as many, working(many, programs=False, environ=os.environ):
            there = on_fleet(many, given)
        asked.append(len(server.seen) - asked[0])
    assert asked[0] == asked[1] > 20
    assert here.trained.best.hash() != here.training.base_hash  # the model was understood
    assert hash_of(there) == hash_of(here)
    assert [there.report[name] for name in ("calls", "tokens")] == [here.report[name] for name in ("calls", "tokens")]


@pytest.mark.slow
def test_a_worker_that_may_run_no_programs_refuses_and_the_training_says_so(new_postgres: str, tmp_path: Path) -> None:
    with opened(tmp_path / "many", new_postgres) as ws:
        with working(ws, programs=False), pytest.raises(RefusedError, match="metier worker --allow-commands"):
            on_fleet(ws, solver())
        found = QueuedJobs(ws.context).status()
        assert (found.waiting, found.failed != ()) == ((), True)


def test_what_only_this_process_has_is_refused_before_anything_is_asked(new_postgres: str, tmp_path: Path) -> None:
    with opened(tmp_path / "many", new_postgres) as ws:
        for asked, said in (
            (solver(target=lambda case, skill: ""), "a target that is a Python object"),
            (replace(solver(), functions={"own": lambda case, attempt: True}), "do not have your scorers"),
        ):
            with pytest.raises(UsageError, match=said):
                on_fleet(ws, asked)
        assert QueuedJobs(ws.context).status().waiting == ()
