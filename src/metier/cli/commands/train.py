"""`metier train`: improve a skill's text behind a gate of held-out cases."""

from __future__ import annotations

import sys
from contextlib import nullcontext, redirect_stderr
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from math import isfinite, nan
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from metier.cli.budget import limits_from
from metier.cli.options import (
    AsJson,
    Fleet,
    Limit,
    Login,
    RunByDefault,
    Yes,
    confirm,
    open_workspace,
    options_from,
    tell_budget,
    with_login,
    with_workers,
)
from metier.cli.output import console, emit, table, talk
from metier.errors import InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from metier.training.events import Event
    from metier.training.service.order import Order
    from metier.training.spec import Spec
    from metier.training.train import Finished
    from metier.workspace import Workspace

SkillArgument = Annotated[str, typer.Argument(metavar="SKILL", help="A skill in the library, or a skill folder.")]
RunArgument = Annotated[str, typer.Argument(metavar="TRAINING", help="A training's id, or the start of it.")]
Cases = Annotated[
    str,
    typer.Option(metavar="FILE", help="Cases: .jsonl, or the standard's evals.json; default: the skill's own evals."),
]
TargetOption = Annotated[
    str,
    typer.Option(
        metavar="TARGET",
        help="What runs the cases: chat, chat=MODEL, completion=MODEL, agent=NAME, command='… {task}', python=M:F.",
    ),
]
Optimiser = Annotated[
    str, typer.Option(metavar="MODEL", help="The model that proposes edits; default: the setting `model`.")
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--spec", metavar="NAME=VALUE", help="A search setting, such as epochs=2; can be repeated."),
]
Workers = Annotated[
    int | None, typer.Option(min=1, max=256, help="Work in parallel: 8, on a fleet 64.", show_default=False)
]
Budget = Annotated[
    list[str] | None,
    typer.Option(
        "--budget",
        metavar="NAME=N",
        help="Spend at most: rollouts, calls, tokens, usd, seconds (10m, 2h); can be repeated.",
    ),
]
Commands = Annotated[
    bool, typer.Option("--allow-commands", help="Let cases run commands as checks; read the cases first.")
]
Apply = Annotated[bool, typer.Option("--apply", help="Ship the result if fresh cases confirm it and review passes it.")]
Out = Annotated[str, typer.Option(metavar="DIR", help="Also write the trained skill into this new folder.")]
Timeout = Annotated[float, typer.Option(min=0.1, metavar="SECONDS", help="Time limit of one rollout.")]
Report = Annotated[str, typer.Option(metavar="FILE", help="Write the HTML report here; default: in the state folder.")]
Explain = Annotated[bool, typer.Option("--explain", help="Explain in plain words what the search does, and why.")]
Events = Annotated[bool, typer.Option("--events", help="Print events as JSON lines on stderr.")]

app = typer.Typer(cls=RunByDefault, add_completion=False, rich_markup_mode=None, no_args_is_help=True)


@app.callback()
def trainings() -> None:
    """Improve a skill's text behind a gate of held-out cases: metier train SKILL --cases FILE.

    Example:  metier train flaky-tests --cases cases.jsonl --target agent=claude-code --budget usd=5
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgressOptions:
    """How a training is told while it goes on."""

    quiet: bool = False
    """Nothing but what was asked for."""
    events_as_json: bool = False
    explain: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainFlags:
    """What `metier train SKILL` can be told."""

    skill: SkillArgument
    cases: Cases = ""
    target: TargetOption = "chat"
    login: Login = False
    optimiser: Optimiser = ""
    spec: Settings = None
    budget: Budget = None
    workers: Workers = None
    fleet: Fleet = False
    timeout: Timeout = 120.0
    commands: Commands = False
    apply: Apply = False
    out: Out = ""
    report: Report = ""
    explain: Explain = False
    events: Events = False
    as_json: AsJson = False


@app.command()
@options_from(TrainFlags)
def run(ctx: typer.Context, asked: TrainFlags) -> None:
    """Train a skill: run it on cases, propose small edits, keep the edits that help on held-out cases.

    It shows an estimate first. After Ctrl-C or a crash, run the same command again: it continues and pays for nothing
    twice. The result is confirmed on fresh cases and becomes a draft. With --apply it ships if fresh cases confirm it
    and review passes it (undo: metier skills rollback SKILL). Exits with 1 if it found nothing better or was stopped.
    With --fleet the rollouts run on the workers of this store (metier worker); the result is the same, byte by byte.

    Example:  metier train deploy --cases cases.jsonl --spec epochs=2 --budget calls=500  ·  metier train show
    """
    from metier.training.service.inputs import build_order

    with open_workspace(ctx) as ws:
        order = build_order(
            ws.library,
            asked.skill,
            cases=asked.cases,
            target=with_login(asked.target, login=asked.login),
            optimiser=asked.optimiser,
            spec=spec_from(asked.spec or []),
            limits=limits_from(asked.budget or []),
            seconds=asked.timeout,
            commands=asked.commands,
        )
        order = with_workers(ws, order, asked.workers, fleet=asked.fleet)
        told = ProgressOptions(quiet=asked.as_json, events_as_json=asked.events, explain=asked.explain)
        wanted = _ResultOptions(apply=asked.apply, out=asked.out, report=asked.report, told=told, as_json=asked.as_json)
        _train_and_report(ws, order, wanted)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumeFlags:
    """What `metier train resume` can be told."""

    training: RunArgument
    budget: Budget = None
    workers: Workers = None
    fleet: Fleet = False
    apply: Apply = False
    out: Out = ""
    report: Report = ""
    explain: Explain = False
    events: Events = False
    as_json: AsJson = False


@app.command()
@options_from(ResumeFlags)
def resume(ctx: typer.Context, asked: ResumeFlags) -> None:
    """Continue a training that was stopped or killed. Nothing is paid for twice.

    Example:  metier train resume 9907b73f  ·  metier train resume 9907b73f --budget calls=2000
    """
    from metier.training.service.inputs import order_again
    from metier.training.service.skillopt_run import IMPORTED
    from metier.training.targets.parse import is_named

    with open_workspace(ctx) as ws:
        order = order_again(ws.context, asked.training, limits_from(asked.budget) if asked.budget else None)
        if not is_named(order.target):
            raise UsageError(
                f"This training was imported. Train the skill here: metier train {order.skill} --cases FILE"
                if order.target == IMPORTED
                else "This training was started from Python with its own target. Continue it there, with the same call."
            )
        order = with_workers(ws, order, asked.workers, fleet=asked.fleet)
        told = ProgressOptions(quiet=asked.as_json, events_as_json=asked.events, explain=asked.explain)
        wanted = _ResultOptions(apply=asked.apply, out=asked.out, report=asked.report, told=told, as_json=asked.as_json)
        _train_and_report(ws, order, wanted)


@app.command("list")
def list_(ctx: typer.Context, limit: Limit = 20, as_json: AsJson = False) -> None:
    """List trainings, newest first.

    Example:  metier train list
    """
    from metier.cli.views.train import row_of
    from metier.training.service.reports import newest_reports

    with open_workspace(ctx) as ws:
        found = newest_reports(ws.context, limit)
    if as_json:
        emit(found)
    elif not found:
        talk("No trainings yet. Start one: metier train SKILL --cases FILE")
    else:
        columns = ("training", "skill", "status", "val", "fresh cases", "rollouts", "when")
        console().print(table(columns, [row_of(one) for one in found], grow="fresh cases"))


@app.command()
def show(
    ctx: typer.Context,
    training: Annotated[str, typer.Argument(metavar="[TRAINING]", help="A training's id; default: the newest.")] = "",
    report: Report = "",
    explain: Explain = False,
    as_json: AsJson = False,
) -> None:
    """Show a training: scores and baselines, each step with its reason, the cost; --report writes the page.

    Example:  metier train show  ·  metier train show 9907b73f --explain  ·  metier train show 9907b73f --report a.html
    """
    from metier.cli.views.train import print_explanation, print_report
    from metier.training.service.reports import report_of
    from metier.web.training_report import write_report

    with open_workspace(ctx) as ws:
        found = report_of(ws.context, training)
        page = write_report(ws.context, found, report) if report else None
    if as_json:
        emit(found)
        return
    if explain:
        print_explanation(found)
    else:
        print_report(found)
    if page:
        talk(f"Report: {page}")


@app.command()
def forget(ctx: typer.Context, training: RunArgument, yes: Yes = False, as_json: AsJson = False) -> None:
    """Forget a training, its report and the edits it saw rejected; versions and drafts that came of it stay.

    This cannot be undone. Refused if it looked at fresh cases: those looks are counted.

    Example:  metier train forget 3f9a0c5b
    """
    from metier.training.service.skillopt_import import check_forgettable, forget_training

    with open_workspace(ctx) as ws:
        one = check_forgettable(ws.context, training)
        lost = "Its report and the edits it saw rejected are lost, and the same edits may be tried again."
        confirm(f"Forget training {one.id} of {one.skill}? {lost} This cannot be undone.", yes=yes)
        found = forget_training(ws.context, training)
    if as_json:
        emit({"run": found.id, "skill": found.skill})
    else:
        talk(f"Forgot training {found.id} of {found.skill} permanently. Versions and drafts that came of it stay.")


@app.command()
def compare(ctx: typer.Context, one: RunArgument, other: RunArgument, as_json: AsJson = False) -> None:
    """Compare two trainings: scores on shared cases, rollouts, tokens, money.

    Example:  metier train compare 9907b73f 1c2ab004
    """
    from metier.cli.views.train import print_comparison
    from metier.training.service.reports import compare_trainings

    with open_workspace(ctx) as ws:
        found = compare_trainings(ws.context, one, other)
    if as_json:
        emit(found)
    else:
        print_comparison(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class _ResultOptions:
    """What to do with a result, and how to show it."""

    apply: bool
    out: str
    report: str
    told: ProgressOptions
    as_json: bool


def _train_and_report(ws: Workspace, order: Order, wanted: _ResultOptions) -> None:
    from metier.cli.options import sigterm_as_interrupt
    from metier.cli.views.train import document, print_next_steps, print_report
    from metier.cli.views.train_live import run_with_progress
    from metier.proof.routing import RoutingGate
    from metier.training.service.ship import train_and_ship
    from metier.web.training_report import check_report_file, write_report

    if wanted.report:
        check_report_file(wanted.report)
    around = partial(RoutingGate, ws.library)
    training = train_and_ship(ws.library, order, apply=wanted.apply, out=wanted.out, around=around)
    work = _with_budget(ws, order, training, wanted)
    with sigterm_as_interrupt():
        finished = run_with_progress(work, order, wanted.told)
    try:
        page, problem = write_report(ws.context, finished.report, wanted.report), None
    except InputError as error:  # what was found is told all the same
        page, problem = None, error
    if wanted.as_json:
        emit(document(finished, finished.result, page))
    else:
        print_report(finished.report)
        with redirect_stderr(sys.stdout) if wanted.told.events_as_json else nullcontext():  # there only events go
            print_next_steps(finished, finished.result, page)
    if problem:
        raise problem
    if finished.training.status == "stopped" or finished.trained.best.hash() == finished.training.base_hash:
        raise typer.Exit(1)


def _with_budget(
    ws: Workspace, order: Order, work: Generator[Event, None, Finished], wanted: _ResultOptions
) -> Generator[Event, None, Finished]:
    """The work, with what it may spend said as soon as everything it needs was looked at."""
    try:
        first = next(work)
    except StopIteration as end:
        return end.value
    if not (wanted.as_json or wanted.told.events_as_json or order.limits.usd or order.limits.calls):
        tell_budget(ws, *(one for one in (order.optimiser, order.target) if isinstance(one, str)))
    yield first
    return (yield from work)


def spec_from(pairs: Sequence[str]) -> Spec:
    """The settings of the preset `default` with those that were named; a UsageError names what is none."""
    from metier.training.presets import spec_of
    from metier.training.spec import Spec

    kinds: dict[str, type[object]] = {name: type(value) for name, value in Spec().settings().items()}
    given: dict[str, object] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        name = name.strip().replace("-", "_")
        if not equals or name not in kinds:
            near = get_close_matches(name, kinds, n=1)
            hint = f" Did you mean {near[0]}?" if near else f" Known settings: {', '.join(kinds)}."
            raise UsageError(f"--spec needs NAME=VALUE with a search setting; got '{pair}'.{hint}")
        given[name] = _value(name, text.strip(), kinds[name])
    spec = spec_of(**cast("dict[str, Any]", {"preset": "default", **given}))
    least, most = spec.editing.min_edits, spec.editing.max_edits
    if least > most:
        raise UsageError(f"min_edits ({least}) is above max_edits ({most}); set both with --spec.")
    return spec


def _value(name: str, text: str, kind: type[object]) -> object:
    if kind is bool:
        if text.lower() not in ("true", "false", "yes", "no", "on", "off"):
            raise UsageError(f"--spec {name} must be true or false, not '{text}'.")
        return text.lower() in ("true", "yes", "on")
    try:
        value = text if kind is str else float(text) if kind in (float, type(None)) else int(text)
    except ValueError:
        value = nan
    if isinstance(value, float) and not isfinite(value):
        raise UsageError(f"--spec {name} must be a {'whole ' * (kind is int)}number, not '{text}'.")
    return value
