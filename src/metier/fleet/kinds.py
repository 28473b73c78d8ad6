"""The kinds of jobs that workers know, each with what does it."""

from __future__ import annotations

from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, cast

from metier.errors import ConfigError, RefusedError, UnreachableError
from metier.events import Ended
from metier.fleet.jobs import Job
from metier.types.questions import NoModel

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence

    from metier.context.context import Context
    from metier.context.models.line import ModelAsker
    from metier.fleet.jobs import Json
    from metier.proof.replay.gate import ReplayOptions
    from metier.store.engines.fenced import FencedEngine
    from metier.workspace import Workspace

    Kind = Callable[[Workspace, Mapping[str, Json]], str]
    """Does a job in an open workspace, and says in a line what came of it."""

LEARN = Job(kind="learn", key="learn", alone=True)
MANY = frozenset({"rollout"})
"""Kinds with so many jobs that only failures are kept."""
SOON = 5
"""The priority of judging: learning needs it."""


@contextmanager
def open_kinds(environ: Mapping[str, str], *, programs: bool) -> Generator[dict[str, Kind]]:
    """Every kind of job, with what stays open between two of them; `programs`: those that jobs name may be run."""
    from metier.fleet.rollout_jobs import RolloutJobs

    with RolloutJobs(environ, programs=programs) as rollouts:
        yield {
            "learn": learn_once,
            "judge": partial(judge_some, environ),
            "replay": partial(replay_once, programs),
            "rollout": rollouts,
        }


def unfenced(ctx: Context) -> Context:
    """The workspace of a job without its fence: what was paid for is kept whoever has the job."""
    return replace(ctx, store=cast("FencedEngine", ctx.store).base)


def learn_once(ws: Workspace, given: Mapping[str, Json]) -> str:  # noqa: ARG001
    """One pass of learning; the workspace's mode decides whether drafts are applied."""
    from metier.proof.learn_and_prove import watch_pass

    said = ""
    with closing(watch_pass(ws.library)) as events:
        for event in events:
            said = event.text if isinstance(event, Ended) else said
    return said


def judging_jobs(ctx: Context, environ: Mapping[str, str]) -> Sequence[Job]:
    """The runs that wait for a model's verdict, as jobs; ConfigError says why no model is asked."""
    from metier.learning.stages.judge_part import waiting_parts

    with _asker(ctx, environ):
        pass
    return [
        Job(kind="judge", key=f"judge {after} {until}", given={"after": after, "until": until}, priority=SOON)
        for after, until in waiting_parts(ctx)
    ]


def judge_some(environ: Mapping[str, str], ws: Workspace, given: Mapping[str, Json]) -> str:
    """Ask the model how some runs went; the next pass of learning finds the verdicts."""
    from metier.learning.judge_by_model import ModelJudge
    from metier.learning.stages.judge_part import judge_part

    plain = unfenced(ws.context)
    with _asker(plain, environ) as asker:
        span = int(str(given["after"])), int(str(given["until"]))
        known, unknown = judge_part(plain, ws.context, ModelJudge(asker), *span)
        name = asker.name
    if unknown and not known:
        raise UnreachableError(f"{name} gave no verdict on {unknown} runs.")
    return f"{known} verdicts by {name}" + (f", {unknown} runs without one" if unknown else "")


def _asker(ctx: Context, environ: Mapping[str, str]) -> ModelAsker:
    from metier.context.models.access import asker_of

    found = asker_of(ctx, environ)
    if isinstance(found, NoModel):
        raise ConfigError(f"{found.reason} {found.fix}".strip())
    return found


def replay_job(draft: str, options: ReplayOptions) -> Job:
    """A draft's replay on the accepted cases, as a job."""
    given: dict[str, Json] = {
        "draft": draft,
        "target": str(options.target),
        "judge": str(options.judge),
        "limits": options.limits.canonical(),
        "commands": options.commands,
    }
    return Job(kind="replay", key=f"replay {draft} {options.target}", given=given, priority=SOON)


def replay_once(programs: bool, ws: Workspace, given: Mapping[str, Json]) -> str:  # noqa: FBT001 - bound by open_kinds
    """Try a draft with and without on the accepted cases, and note the decision with it; it ships nothing."""
    from metier.proof.replay.gate import ReplayOptions, replay_draft
    from metier.training.service.order import TrainLimits
    from metier.training.service.remote import runs_programs

    target, commands = str(given["target"]), bool(given["commands"])
    if runs_programs(target, commands=commands) and not programs:
        raise RefusedError(f"This replay runs programs here ({target}). Start workers that may: --allow-commands")
    limits = TrainLimits.read(str(given["limits"]))
    options = ReplayOptions(target=target, judge=str(given["judge"]), limits=limits, commands=commands)
    events = replay_draft(ws.library, str(given["draft"]), options)
    while True:
        try:
            next(events)
        except StopIteration as end:
            return f"{end.value.decision.action}: {end.value.decision.reason}"
