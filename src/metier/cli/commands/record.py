"""`metier record`: runs from JSON into the store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from metier.cli.options import AsJson, open_workspace
from metier.cli.output import emit, show_progress, talk

if TYPE_CHECKING:
    from metier.runs.json_stream import StreamReport

FileArgument = Annotated[
    str, typer.Argument(metavar="[FILE]", help="JSON or JSON Lines; - or nothing reads standard input.")
]


def record(ctx: typer.Context, file: FileArgument = "-", as_json: AsJson = False) -> None:
    """Record one or more runs from JSON. Each run is redacted, and stored once and safely before it is counted.

    A run is an object with at least "message"; docs/formats.md lists all fields. Give one object per line, an array,
    or one object over several lines.

    Example:  echo '{"message": "fix the login test", "status": "completed", "output": "done"}' | metier record
    """
    from metier.runs.json_stream import open_source, record_stream

    with open_source(file) as stream, open_workspace(ctx, create=True) as ws:
        batch = record_stream(ws.context, stream)
        show_progress(ws.index())
        show_progress(ws.tidy())
    if as_json:
        emit(batch.document())
    else:
        _print_batch(batch)
    raise typer.Exit(1 if batch.refused else 0)


def _print_batch(batch: StreamReport) -> None:
    for line, reason in batch.refused[:20]:
        talk(f"metier: refused line {line}: {reason}")
    if len(batch.refused) > 20:
        talk(f"metier: {len(batch.refused) - 20 + batch.refused_more} more lines refused; --json lists them.")
    for line, reason in batch.warnings[:5]:
        talk(f"line {line}: {reason}")
    parts = [f"Recorded {batch.recorded} run{'' if batch.recorded == 1 else 's'}"]
    parts += [f"{batch.updated} updated"] if batch.updated else []
    parts += [f"{batch.duplicates} already known"] if batch.duplicates else []
    parts += [f"{len(batch.skipped)} skipped ({batch.skipped[0][1]})"] if batch.skipped else []
    parts += [f"{len(batch.refused) + batch.refused_more} refused"] if batch.refused else []
    talk(", ".join(parts) + "." + _undo(batch))


def _undo(batch: StreamReport) -> str:
    """How to take back what was new; what was known already is not touched."""
    if not batch.recorded:
        return " See them: metier runs list" if batch.ids else ""
    if batch.recorded == len(batch.ids) <= 3:
        return f" Undo: metier runs delete {' '.join(one[:8] for one in batch.ids)}"
    return " See them: metier runs list. Undo: metier runs delete ID… (--json lists the ids)"
