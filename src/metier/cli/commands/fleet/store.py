"""`metier store`: move a whole store between a file and a server."""

from __future__ import annotations

from typing import Annotated

import typer

from metier.cli.options import AsJson, open_workspace
from metier.cli.output import emit, result_with_progress, talk

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    help="Copy a whole store between a file and a PostgreSQL server.\n\nExample:  metier store copy . postgresql://db/metier",
)
rls = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    help="Let roles of the database read this workspace's rows, and no others (row-level security).\n\n"
    "Example:  metier store rls allow analyst",
)
app.add_typer(rls, name="rls")
RoleArgument = Annotated[str, typer.Argument(metavar="ROLE", help="A role of the PostgreSQL server.")]
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
    from metier.context.state_folder import make_user_folder, state_home, user_key
    from metier.maintenance.store_copy import SERVER, copy_between, place_of

    home = state_home(os.environ)
    make_user_folder(home)
    now = utc().isoformat(timespec="microseconds").replace("+00:00", "Z")
    made = result_with_progress(copy_between(source, target, user_key(home), now))
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


@rls.command("allow")
def allow(ctx: typer.Context, role: RoleArgument, as_json: AsJson = False) -> None:
    """Let a role of the database read this workspace's rows, and those of no other workspace.

    It can read and not write. Metier itself goes on as before, with the role that owns the tables. Run it again after
    an upgrade that adds tables. Undo: metier store rls stop ROLE

    Example:  metier store rls allow analyst
    """
    from metier.maintenance.readers import allow_reader, readable_tables

    with open_workspace(ctx) as ws:
        allow_reader(ws.context, role)
    if as_json:
        emit({"role": role, "tables": readable_tables()})
    else:
        talk(f"{role} can read {len(readable_tables())} tables of this workspace. Undo: metier store rls stop {role}")


@rls.command("stop")
def stop(ctx: typer.Context, role: RoleArgument, as_json: AsJson = False) -> None:
    """Let a role read this workspace's rows no longer. Undo: metier store rls allow ROLE

    Example:  metier store rls stop analyst
    """
    from metier.maintenance.readers import stop_reader

    with open_workspace(ctx) as ws:
        stop_reader(ws.context, role)
    if as_json:
        emit({"role": role})
    else:
        talk(f"{role} can no longer read this workspace. Undo: metier store rls allow {role}")


@rls.command("list")
def list_(ctx: typer.Context, as_json: AsJson = False) -> None:
    """List the roles that may read this workspace's rows.

    Example:  metier store rls list
    """
    from metier.maintenance.readers import list_readers

    with open_workspace(ctx) as ws:
        found = list_readers(ws.context)
    if as_json:
        emit(found)
    else:
        talk(", ".join(found) or "No role may read this workspace. Let one: metier store rls allow ROLE")
