"""`metier backup`: the whole state as one file."""

from __future__ import annotations

from shlex import quote
from typing import Annotated

import typer

from metier.cli.options import AsJson, opened
from metier.cli.output import emit, talk

app = typer.Typer(add_completion=False, rich_markup_mode=None)
FileArgument = Annotated[str, typer.Argument(metavar="FILE", help="Where to write it, for example metier.tar.gz.")]


@app.command()
def backup(ctx: typer.Context, file: FileArgument, as_json: AsJson = False) -> None:
    """Write the whole state to one file, while everything goes on; the redaction key stays here.

    Example:  metier backup ~/metier-$(date +%F).tar.gz
    """
    from pathlib import Path

    from metier.maintenance.backup import backup as write

    target = Path(file).expanduser().resolve()
    with opened(ctx) as ws:
        size = write(ws, target)
    if as_json:
        emit({"file": str(target), "bytes": size})
    else:
        talk(f"Wrote {target} ({size:,} bytes). Bring it back with: metier restore {quote(str(target))}")
