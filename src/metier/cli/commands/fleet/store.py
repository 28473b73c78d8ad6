"""`metier store`: move a whole store between a file and a server."""

from __future__ import annotations

from typing import Annotated

import typer

from metier.cli.options import AsJson  # noqa: TC001 - typer reads it
from metier.cli.output import emit, result_with_progress, talk

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    help="Copy a whole store between a file and a PostgreSQL server.\n\nExample:  metier store copy . postgresql://db/metier",
)
From = Annotated[str, typer.Argument(metavar="FROM", help="postgresql://…, a workspace's folder, or a database file.")]
To = Annotated[str, typer.Argument(metavar="TO", help="The same; it must be empty, or a begun copy of FROM.")]


@app.callback()
def store() -> None:
    """Copy a whole store between a file and a PostgreSQL server.

    Example:  metier store copy . postgresql://db/metier
    """


@app.command("copy")
def copy_(source: From, target: To, as_json: AsJson = False) -> None:
    """Copy all that is kept in a store to an empty one, and check every table by hashes. FROM is only read.

    Copies all workspaces of the store. Killed or cut off, the same command goes on where it was; until it is through,
    TO cannot be used. Jobs of a fleet are not copied. Undo: keep using FROM; nothing in it was changed.

    Example:  metier store copy . postgresql://metier@db.example/metier  ·  metier store copy postgresql://db/metier .
    """
    import os

    from metier.context.context import utc
    from metier.context.identity import user_key
    from metier.maintenance.store_copy import SERVER, copy_between, place_of

    now = utc().isoformat(timespec="microseconds").replace("+00:00", "Z")
    made = result_with_progress(copy_between(source, target, user_key(os.environ), now))
    if as_json:
        tables = {name: {"rows": one.rows, "hash": one.hash} for name, one in made.tables}
        emit({"rows": made.rows, "hash": made.hash, "resumed": made.resumed, "tables": tables})
        return
    talk(
        f"Copied {made.rows:,} rows in {len(made.tables)} tables to {place_of(target)}, each table checked by its hash."
    )
    talk(f"Hash of all: {made.hash[:16]}.{' An earlier run had copied a part.' if made.resumed else ''}")
    use = f'metier config set store "{place_of(target)}"' if target.startswith(SERVER) else "metier config unset store"
    talk(f"To use it: {use}")
