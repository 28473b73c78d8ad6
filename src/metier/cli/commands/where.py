"""`metier where`: the paths."""

from __future__ import annotations

import typer

from metier.cli.options import AsJson, opened
from metier.cli.output import console, emit, table

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def where(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Show where everything of this workspace lies.

    Example:  sqlite3 "$(metier where --json | jq -r .database)" '.tables'
    """
    import os

    from metier.config import FILE, user_file
    from metier.context.context import DATABASE
    from metier.hooks.record import SPOOL

    with opened(ctx) as ws:
        paths = {
            "workspace": str(ws.root),
            "name": ws.name,
            "state": str(ws.state),
            "database": ws.config.store.partition("@")[2] or ws.config.store or str(ws.state / DATABASE),
            "spool": str(ws.state / SPOOL),
            "settings": str(ws.state / FILE),
            "user_settings": str(user_file(os.environ)),
        }
    if as_json:
        emit(paths)
    else:
        console().print(table(("what", "where"), list(paths.items()), grow="where"))
