"""`metier patterns`: what keeps coming up, and what became of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from metier.cli.options import AsJson, open_workspace
from metier.cli.output import console, emit, table, talk

if TYPE_CHECKING:
    from metier.types import Pattern

app = typer.Typer(add_completion=False, rich_markup_mode=None)
Every = Annotated[bool, typer.Option("--all", help="Also show retired patterns.")]
PatternArgument = Annotated[
    str, typer.Argument(metavar="ID|LABEL", help="A pattern's label, its id, or the start of its id.")
]


@app.callback(invoke_without_command=True)
def patterns(ctx: typer.Context, every: Every = False, as_json: AsJson = False) -> None:
    """Show the tasks that keep coming up, their runs, and the skills they led to.

    Example:  metier patterns  ·  metier patterns --json | jq '.[].label'
    """
    if ctx.invoked_subcommand is None:
        _list(ctx, every=every, as_json=as_json)


@app.command("list")
def list_(ctx: typer.Context, every: Every = False, as_json: AsJson = False) -> None:
    """List the patterns, oldest first.

    Example:  metier patterns list --all
    """
    _list(ctx, every=every or _was_given_before(ctx, "every"), as_json=as_json or _was_given_before(ctx, "as_json"))


@app.command()
def show(ctx: typer.Context, pattern: PatternArgument, as_json: AsJson = False) -> None:
    """Show a pattern: its runs and why each belongs to it, its drafts, and its skill.

    Example:  metier patterns show bump-dependency
    """
    from metier.cli.views.patterns import document, page
    from metier.learning.trace import trace_pattern

    with open_workspace(ctx) as ws:
        found = trace_pattern(ws.library, pattern)
    if as_json or _was_given_before(ctx, "as_json"):
        emit(document(found))
        return
    for part in page(found):
        console().print(part)
    drafts = [one.id for one in found.drafts if one.status in ("candidate", "quarantined")]
    if drafts:
        talk(f"See what its draft changes: metier drafts diff {drafts[-1]}")


def _was_given_before(ctx: typer.Context, name: str) -> bool:
    """Whether an option was given before the sub-command, as in `metier patterns --json list`."""
    return bool(ctx.parent and ctx.parent.params.get(name))


def _list(ctx: typer.Context, *, every: bool, as_json: bool) -> None:
    from metier.cli.views.patterns import row
    from metier.learning.trace import externals

    with open_workspace(ctx) as ws:
        found = [one for one in ws.patterns() if every or one.status != "retired"]
        there = externals(ws.context, found) if as_json else {}
    if as_json:
        emit([row(one, there[one.id]) for one in found])
    elif not found:
        talk("No patterns yet. Metier finds them in tasks that come up again and succeed: metier learn")
    else:
        columns = ("id", "pattern", "runs", "success", "status", "about")
        console().print(table(columns, [_row(one) for one in found], grow="about"))
        talk("Details: metier patterns show LABEL")


def _row(pattern: Pattern) -> tuple[str, ...]:
    evidence = pattern.successes + pattern.failures
    return (
        pattern.id[:8],
        pattern.label,
        str(evidence),
        f"{pattern.success_ratio:.0%}",
        pattern.status,
        pattern.summary,
    )
