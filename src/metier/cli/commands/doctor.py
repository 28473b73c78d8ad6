"""`metier doctor`: what is wrong, and how to fix it."""

from __future__ import annotations

import typer

from metier.cli.options import AsJson, options
from metier.cli.output import console, emit, visible

app = typer.Typer(add_completion=False, rich_markup_mode=None)
SIGNS = {"ok": ("ok", "green"), "warning": ("note", "yellow"), "problem": ("PROBLEM", "red")}


@app.command()
def doctor(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Look at the machine, the settings, the store and the spool; exit 1 if there is a problem.

    Example:  metier doctor --json
    """
    import os
    from dataclasses import asdict
    from pathlib import Path

    from rich.text import Text

    from metier.maintenance.doctor import examine

    given = options(ctx)
    checks = list(examine(Path(given.folder).absolute(), given.flags, os.environ))
    if as_json:
        emit([asdict(check) for check in checks])
    else:
        out = console()
        for check in checks:
            sign, colour = SIGNS[check.state]
            out.print(Text(f"{sign:<8}", style=colour), Text(f"{check.name:<12}{visible(check.text)}"), sep="")
            if check.fix:
                out.print(Text(f"{'':<20}-> {visible(check.fix)}"))
    raise typer.Exit(1 if any(check.state == "problem" for check in checks) else 0)
