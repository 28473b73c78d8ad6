"""`metier eval`: how good something is, measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from metier.cli.commands import eval_skill
from metier.cli.options import AsJson, SkillByDefault, open_workspace
from metier.cli.output import console, emit, result_with_progress, talk

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from metier.events import Event
    from metier.workspace import Workspace

T = TypeVar("T")
app = typer.Typer(cls=SkillByDefault, add_completion=False, rich_markup_mode=None, no_args_is_help=True)
Queries = Annotated[
    str,
    typer.Option(
        metavar="FILE", help='Labelled queries, one per line: {"query": "…", "gold": ["skill"]}; [] if none fits.'
    ),
]
Skills = Annotated[
    str, typer.Option(metavar="DIR|FILE", help="A folder of skills, or .jsonl[.gz]; default: the workspace's skills.")
]
Compare = Annotated[str, typer.Option(metavar="DIR|FILE", help="Other skills, or settings (.toml), to compare with.")]
Cuts = Annotated[
    list[int] | None, typer.Option("--k", min=1, max=1000, help="Show recall at this rank; can be repeated.")
]
Wrong = Annotated[bool, typer.Option("--wrong", help="List the queries with a wrong result.")]
Folder = Annotated[str, typer.Argument(metavar="SKILL_DIR", help="The folder of the new skill.")]


@app.callback()
def evaluations() -> None:
    """Measure a skill on cases (metier eval SKILL --cases FILE), selection, or the effect of a new skill."""


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
    """Measure selection on labelled queries: recall, precision, how often it rightly chooses nothing, and speed.

    No model is asked and no selection is saved. Without --queries, the built-in queries run on the sample skills (and
    on --skills, if given). With --compare, the same queries run twice, and the differences are shown with an interval.

    Example:  metier eval selection --queries q.jsonl --wrong  ·  metier eval selection --skills lib.jsonl.gz --json
    """
    from metier.cli.views.eval import document, page, wrong_rows
    from metier.selection.evaluation.evaluate import CUTS
    from metier.selection.evaluation.run import EvalPlan, measure_selection

    plan = EvalPlan(queries=queries, skills=skills, compare=compare, cuts=tuple(sorted(set(k or CUTS))))
    report = _run_with_progress(
        ctx, lambda ws: measure_selection(plan, ws.pool if ws else None), alone=bool(skills or not queries)
    )
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
    """Check a new skill before you add it: which tasks of other skills would it take over?

    The check uses the labelled queries, or else the descriptions of the most similar skills and requests they served.
    Exits with 1 if the new skill becomes the first choice for a task of another skill.

    Example:  metier eval admission ./new-skill  ·  metier eval admission ./new-skill --queries q.jsonl --json
    """
    from metier.cli.views.eval import admission_document, admission_page
    from metier.selection.evaluation.admission import Newcomer, check_admission

    newcomer = Newcomer(folder=folder, queries=queries, skills=skills)
    found = _run_with_progress(ctx, lambda ws: check_admission(newcomer, ws.pool if ws else None), alone=bool(skills))
    if as_json:
        emit(admission_document(found))
    else:
        out = console()
        for part in admission_page(found):
            out.print(part)
    raise typer.Exit(0 if found.accepted else 1)


def _run_with_progress(
    ctx: typer.Context, work: Callable[[Workspace | None], Generator[Event, None, T]], *, alone: bool
) -> T:
    """What the work ends with; alone: it needs no workspace."""
    if alone:
        return result_with_progress(work(None))
    with open_workspace(ctx) as ws:
        return result_with_progress(work(ws))
