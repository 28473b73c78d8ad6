"""`metier backup, restore`: everything of a workspace as one file, and back."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from metier.cli.options import AsJson, Yes, confirm, open_workspace, options
from metier.cli.output import emit, talk
from metier.errors import DamagedError, InputError, UsageError

if TYPE_CHECKING:
    from metier.workspace import Workspace

TargetArgument = Annotated[str, typer.Argument(metavar="FILE", help="The file to write, for example metier.tar.gz.")]
BackupArgument = Annotated[str, typer.Argument(metavar="[FILE]", help="A file that `metier backup` wrote.")]
WithoutBackup = Annotated[bool, typer.Option("--without-backup", help="Go on after the database was lost for good.")]


def backup(ctx: typer.Context, file: TargetArgument, as_json: AsJson = False) -> None:
    """Write the whole state to one file, without stopping anything. The redaction key is not included.

    Example:  metier backup ~/metier-$(date +%F).tar.gz
    """
    from pathlib import Path

    from metier.maintenance.backup import write_backup as write

    target = Path(file).expanduser().absolute()
    with open_workspace(ctx) as ws:
        size = write(ws.context, target)
    if as_json:
        emit({"file": str(target), "bytes": size})
    else:
        name = quote(str(target))
        talk(f"Wrote {target} ({size:,} bytes). Restore it: metier restore {name}   Undo: rm {name}")


def restore(
    ctx: typer.Context,
    file: BackupArgument = "",
    without_backup: WithoutBackup = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Replace the state with a backup. The current state is backed up first.

    Where the database was lost and there is no backup, --without-backup goes on with the one that began empty.

    Example:  metier restore ~/metier-2026-01-31.tar.gz
    """
    from pathlib import Path

    from metier.maintenance.backup import check_backup
    from metier.maintenance.backup import restore_backup as bring_back

    if without_backup == bool(file):
        raise UsageError(
            "Give the FILE to restore. Only where the database was lost and there is none: --without-backup"
        )
    if without_backup:
        _go_on_without(ctx, yes=yes, as_json=as_json)
        return
    source = Path(file).expanduser().resolve()
    if not source.is_file():
        raise InputError(f"There is no file {source}. Give a file that `metier backup` wrote.")
    check_backup(source)
    confirm(f"Replace everything recorded here with {source}?", yes=yes)
    with _opened_to_restore(ctx) as ws:
        saved = bring_back(ws.context, source)
    if as_json:
        emit({"file": str(source), "saved": str(saved) if saved else None})
    else:
        undo = f"Undo: metier restore {quote(str(saved))}" if saved else "There was nothing here before."
        talk(f"Restored {source}. {undo}")


def _opened_to_restore(ctx: typer.Context) -> Workspace:
    """The workspace, its database set aside if it is damaged."""
    from metier.maintenance.backup import set_database_aside

    try:
        return open_workspace(ctx, create=True, mends_loss=True)
    except DamagedError:
        aside = set_database_aside(options(ctx).folder)
        talk(f"Moved the damaged database to {aside}.")
        return open_workspace(ctx, create=True, mends_loss=True)


def _go_on_without(ctx: typer.Context, *, yes: bool, as_json: bool) -> None:
    """Accept that the database is lost; what is on disk beside it goes on."""
    from metier.maintenance.backup import go_on_without

    with open_workspace(ctx, mends_loss=True) as ws:
        if ws.context.lost:
            confirm("Go on without the runs, lessons, drafts and audit log that were in the lost database?", yes=yes)
        go_on_without(ws.context)
    if as_json:
        emit({"file": None, "saved": None})
    else:
        talk("Going on without them; the audit log says so. Skills and their versions are files and still here.")
        talk("Sessions that your agents still have: metier import")
