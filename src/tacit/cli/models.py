"""`tacit models`: whether the configured model can be used."""

from __future__ import annotations

import typer

from tacit.cli.options import AsJson, options
from tacit.cli.output import console, emit, visible

app = typer.Typer(add_completion=False, rich_markup_mode=None, no_args_is_help=True)
SIGNS = {"ok": ("ok", "green"), "warning": ("note", "yellow"), "problem": ("PROBLEM", "red")}


@app.callback()
def models() -> None:
    """The models that learning asks."""


@app.command()
def check(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Ask the configured model a few small questions; exit 1 if something is wrong. Never shows a key.

    Example:  TACIT_MODEL=anthropic:claude-haiku-4-5 tacit models check
    """
    import os
    from dataclasses import asdict
    from datetime import UTC, datetime
    from pathlib import Path

    from rich.text import Text

    from tacit.config import load, outer_state_dir
    from tacit.models.build import configured
    from tacit.models.check import check as examine
    from tacit.workspace import place

    given = options(ctx)
    folder = Path(given.folder)
    shared = outer_state_dir(given.flags, os.environ)
    settings = load(place.find_root(folder, os.environ, shared) or folder.absolute(), given.flags)
    found = configured(asdict(settings.config))
    results = examine(found.model, os.environ, datetime.now(UTC), found.embedder)
    if as_json:
        emit([asdict(result) for result in results])
    else:
        out = console()
        for result in results:
            sign, colour = SIGNS[result.state]
            out.print(Text(f"{sign:<8}", style=colour), Text(f"{result.name:<12}{visible(result.text)}"), sep="")
            if result.fix:
                out.print(Text(f"{'':<20}-> {visible(result.fix)}"))
    raise typer.Exit(1 if any(result.state == "problem" for result in results) else 0)
