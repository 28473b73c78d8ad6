"""`metier audit`: who decided what, and whether the log is still what it was."""

from __future__ import annotations

import typer

from metier.cli.options import AsJson, Limit, opened
from metier.cli.output import console, emit, table, talk

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    help="Who decided what, and whether the log is still what it was.\n\nExample:  metier audit verify",
)


@app.callback()
def audit() -> None:
    """Who decided what, and whether the log is still what it was.

    Example:  metier audit verify
    """


@app.command("list")
def list_(ctx: typer.Context, limit: Limit = 50, as_json: AsJson = False) -> None:
    """The newest entries: who did what to which thing, when and why.

    Example:  metier audit list --limit 20
    """
    from dataclasses import asdict

    from metier.store.tables import audit as log

    with opened(ctx) as ws, ws.engine.read() as transaction:
        found = log.listed(transaction)[-limit:][::-1]
    if as_json:
        emit([asdict(entry) for entry in found])
    elif not found:
        talk("Nothing was decided yet.")
    else:
        rows = [(one.happened[:16].replace("T", " "), one.actor, one.action, one.subject, one.reason) for one in found]
        console().print(table(("when", "who", "did", "to", "why"), rows, grow="why"))


@app.command()
def verify(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Check that no entry was changed, removed or put in: each is bound to the one before by its hash.

    Exit code 1 if one was. Keep the newest hash elsewhere to notice a log that was cut off at its end.

    Example:  metier audit verify
    """
    from metier.store.tables import audit as log

    with opened(ctx) as ws, ws.engine.read() as transaction:
        entries = log.listed(transaction)
        broken = log.broken(transaction)
    newest = entries[-1].hash if entries else ""
    if as_json:
        emit({"ok": broken is None, "entries": len(entries), "newest": newest, "broken": broken and broken.sequence})
    elif broken is None:
        talk(f"{len(entries)} entries, each as it was written. The newest: {newest or 'none'}")
    else:
        talk(
            f"Entry {broken.sequence} ({broken.happened}, {broken.action}) is not what was written, or one is missing."
        )
    raise typer.Exit(1 if broken else 0)
