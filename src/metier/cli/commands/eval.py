"""`metier eval`: how good something is, measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from metier.cli.commands import eval_skill
from metier.cli.options import AsJson, SkillByDefault, opened
from metier.cli.output import awaited, console, emit, talk

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from metier.context.context import Workspace
    from metier.events import Event

T = TypeVar("T")
app = typer.Typer(cls=SkillByDefault, add_completion=False, rich_markup_mode=None, no_args_is_help=True)
Queries = Annotated[
    str,
    typer.Option(metavar="FILE", help='Labelled queries, a line each: {"query": "…", "gold": ["skill"]}; [] for none.'),
]
Skills = Annotated[
    str, typer.Option(metavar="DIR|FILE", help="A folder of skills, or .jsonl[.gz]; else the workspace's library.")
]
Compare = Annotated[
    str, typer.Option(metavar="DIR|FILE", help="Another library, or settings (.toml), to hold against it.")
]
Cuts = Annotated[
    list[int] | None, typer.Option("--k", min=1, max=1000, help="Recall at so many places; may be repeated.")
]
Wrong = Annotated[bool, typer.Option("--wrong", help="List the queries that got the wrong answer.")]
Folder = Annotated[str, typer.Argument(metavar="SKILL_DIR", help="The folder of the skill that is to be admitted.")]


@app.callback()
def evaluations() -> None:
    """Measure how good something is: a skill on cases (metier eval SKILL --cases FILE), selection, a newcomer."""


app.command("skill")(eval_skill.command)


@app.command()
def selection(
    ctx: typer.Context,
    queries: Queries = "",
    skills: Skills = "",
    k: Cuts = None,
    compare: Compare = "",
    wrong: Wrong = False,
    as_json: AsJson = False,
) -> None:
    """Measure selection on labelled queries: recall, precision, when it keeps quiet, and how long it takes.

    No model is asked and no selection is kept. Without --queries the shipped set is asked of the sample skills (and of
    --skills, if given). With --compare the same queries are asked twice, and the differences are told with an interval.

    Example:  metier eval selection --queries q.jsonl --wrong  ·  metier eval selection --skills lib.jsonl.gz --json
    """
    from metier.cli.views.eval import document, page, wrong_rows
    from metier.selection.evaluation.evaluate import CUTS
    from metier.selection.evaluation.run import Plan, measured

    plan = Plan(queries=queries, skills=skills, compare=compare, cuts=tuple(sorted(set(k or CUTS))))
    report = _awaited(ctx, lambda ws: measured(plan, ws), alone=bool(skills or not queries))
    if as_json:
        emit(document(report, wrong=wrong))
        return
    out = console()
    for part in page(report):
        out.print(part)
    if wrong:
        out.print(wrong_rows(report))
    for note in report.notes:
        talk(note)


@app.command()
def admission(
    ctx: typer.Context, folder: Folder, queries: Queries = "", skills: Skills = "", as_json: AsJson = False
) -> None:
    """Check before a skill is admitted: which tasks of its neighbours would it take over?

    Asked are the labelled queries, or else what the nearest skills say they are for, and requests that they served.
    Exits with 1 if the newcomer becomes the first choice for a task of another skill.

    Example:  metier eval admission ./new-skill  ·  metier eval admission ./new-skill --queries q.jsonl --json
    """
    from metier.cli.views.eval import admission_document, admission_page
    from metier.selection.evaluation.admit import Newcomer, admitted

    newcomer = Newcomer(folder=folder, queries=queries, skills=skills)
    found = _awaited(ctx, lambda ws: admitted(newcomer, ws), alone=bool(skills))
    if as_json:
        emit(admission_document(found))
    else:
        out = console()
        for part in admission_page(found):
            out.print(part)
    raise typer.Exit(0 if found.accepted else 1)


def _awaited(ctx: typer.Context, work: Callable[[Workspace | None], Generator[Event, None, T]], *, alone: bool) -> T:
    """What the work ends with; alone: it needs no workspace."""
    if alone:
        return awaited(work(None))
    with opened(ctx) as ws:
        return awaited(work(ws))
