"""`metier restore`: bring a backup back."""

from __future__ import annotations

from shlex import quote
from typing import Annotated

import typer

from metier.cli.options import AsJson, Yes, confirm, opened, options
from metier.cli.output import emit, talk
from metier.errors import DamagedError, InputError

app = typer.Typer(add_completion=False, rich_markup_mode=None)
FileArgument = Annotated[str, typer.Argument(metavar="FILE", help="What `metier backup` wrote.")]


@app.command()
def restore(ctx: typer.Context, file: FileArgument, yes: Yes = False, as_json: AsJson = False) -> None:
    """Replace the state by a backup's; what is there now is backed up first.

    Example:  metier restore ~/metier-2026-01-31.tar.gz
    """
    from pathlib import Path

    from metier.maintenance.backup import restore as bring_back
    from metier.maintenance.backup import set_aside

    source = Path(file).expanduser().resolve()
    if not source.is_file():
        raise InputError(f"{source} is no file. Give one that `metier backup` wrote.")
    confirm(f"Replace everything recorded here by {source}?", yes=yes)
    try:
        ws = opened(ctx, create=True)
    except DamagedError:
        aside = set_aside(options(ctx).folder, options(ctx).flags)
        talk(f"The damaged database is kept in {aside}.")
        ws = opened(ctx, create=True)
    with ws:
        saved = bring_back(ws, source)
    if as_json:
        emit({"file": str(source), "saved": str(saved) if saved else None})
    else:
        undo = f"Undo: metier restore {quote(str(saved))}" if saved else "There was nothing before it."
        talk(f"Restored {source}. {undo}")
