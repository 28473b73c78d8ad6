"""`metier eval SKILL`: a skill scored on cases, paired against another version of it or none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from metier.cli.options import AsJson, Fleet, Login, open_workspace, options_from, tell_budget, with_login, with_workers
from metier.cli.output import console, emit, result_with_progress, talk

if TYPE_CHECKING:
    from metier.training.evaluate import Evaluated

SkillArgument = Annotated[str, typer.Argument(metavar="SKILL", help="A skill in the library, or a skill folder.")]
Cases = Annotated[
    str,
    typer.Option(metavar="FILE", help="Cases: .jsonl, or the standard's evals.json; default: the skill's own evals."),
]
Against = Annotated[
    str,
    typer.Option(metavar="VERSION|none|DIR", help="What to compare with; default: the previous version, or no skill."),
]
TargetOption = Annotated[
    str, typer.Option(metavar="TARGET", help="What runs the cases, as in `metier train`: chat, agent=NAME, …")
]
Samples = Annotated[int, typer.Option(min=1, max=1000, help="Rollouts per case and side.")]
Judge = Annotated[
    str, typer.Option("--judge", metavar="MODEL", help="The model that judges rubrics; default: the setting `model`.")
]
Budget = Annotated[
    list[str] | None,
    typer.Option(
        "--budget", metavar="NAME=N", help="Spend at most: rollouts, calls, tokens, usd, seconds; can be repeated."
    ),
]
Workers = Annotated[
    int | None, typer.Option(min=1, max=256, help="Rollouts in parallel; 8, on a fleet 64.", show_default=False)
]
Timeout = Annotated[float, typer.Option(min=0.1, metavar="SECONDS", help="Time limit of one rollout.")]
Commands = Annotated[
    bool, typer.Option("--allow-commands", help="Let cases run commands as checks; read the cases first.")
]
Every = Annotated[bool, typer.Option("--every", help="List every case, not only those with different results.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalOptions:
    """What `metier eval SKILL` can be told."""

    skill: SkillArgument
    cases: Cases = ""
    against: Against = ""
    target: TargetOption = "chat"
    login: Login = False
    samples: Samples = 1
    judge: Judge = ""
    budget: Budget = None
    workers: Workers = None
    fleet: Fleet = False
    timeout: Timeout = 120.0
    commands: Commands = False
    every: Every = False
    as_json: AsJson = False


@options_from(EvalOptions)
def command(ctx: typer.Context, asked: EvalOptions) -> None:
    """Score a skill on cases, and compare it with its previous version, another version, or no skill.

    Both sides run the same cases. The difference is shown with its interval, and with how small a difference this many
    cases can show. Rollouts that training or an earlier evaluation made are used again and cost nothing.

    Example:  metier eval flaky --cases cases.jsonl --target agent=claude-code  ·  metier eval deploy --against none
    """
    from metier.cli.budget import limits_from
    from metier.cli.options import sigterm_as_interrupt
    from metier.cli.views.eval_skill import document, page
    from metier.training.evaluate import evaluate, side_of
    from metier.training.service.inputs import build_order

    with open_workspace(ctx) as ws:
        order = build_order(
            ws.library,
            asked.skill,
            cases=asked.cases,
            target=with_login(asked.target, login=asked.login),
            optimiser=asked.judge,
            limits=limits_from(asked.budget or []),
            seconds=asked.timeout,
            commands=asked.commands,
        )
        order = with_workers(ws, order, asked.workers, fleet=asked.fleet)
        other = side_of(ws.library, order, asked.against)
        if not asked.budget and not asked.as_json:
            tell_budget(ws, asked.judge, asked.target)
        with sigterm_as_interrupt():
            found: Evaluated = result_with_progress(evaluate(ws.library, order, other, samples=asked.samples))
    if asked.as_json:
        emit(document(found))
        return
    out = console()
    for part in page(found, width=out.width, every=asked.every):
        out.print(part)
    if not asked.every:
        talk("All cases: --every. As JSON: --json")
