"""`metier problems`: work that keeps failing."""

from __future__ import annotations

import typer  # noqa: TC002 - read when the command is made

from metier.cli.options import AsJson, open_workspace
from metier.cli.output import console, emit, table, talk


def problems(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Show work that keeps failing: nothing is taught from it, somebody should look at it.

    Example:  metier problems  ·  metier problems --json
    """
    from metier.cli.views.lessons import problem_row
    from metier.learning.stages.learn_lessons import external_ids

    with open_workspace(ctx) as ws:
        found = ws.problems()
        names = external_ids(ws.context, found)
    if as_json:
        emit([problem_row(one, names[one.id]) for one in found])
    elif not found:
        talk("No problems: nothing keeps failing. Metier looks at new runs with: metier learn")
    else:
        rows = [(one.id[:8], str(one.sessions), str(len(one.failed)), one.label, one.error) for one in found]
        console().print(table(("id", "sessions", "failed", "problem", "error"), rows, grow="problem"))
        talk("See a failed run: metier runs show ID (ids with --json)   Train on one: metier cases build --problem ID")
