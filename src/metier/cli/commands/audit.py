"""`metier audit`: show who decided what, and check that nobody changed the log."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from metier.cli.options import AsJson, Limit, open_workspace
from metier.cli.output import console, emit, table, talk

if TYPE_CHECKING:
    from metier.types.audit import AuditEntry

SUBJECT = 22
"""Columns of a subject, so that the reason finds room beside it in a terminal of 80 columns."""
app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    help="Show who decided what, and check that nobody changed the log.\n\nExample:  metier audit verify",
)


@app.callback()
def audit() -> None:
    """Show who decided what, and check that nobody changed the log.

    Example:  metier audit verify
    """


@app.command("list")
def list_(ctx: typer.Context, limit: Limit = 50, as_json: AsJson = False) -> None:
    """List the newest entries: who did what, when and why.

    Example:  metier audit list --limit 20
    """
    from dataclasses import asdict

    from metier.context.audit import subject_words
    from metier.store.tables import audit as log

    with open_workspace(ctx) as ws, ws.context.store.read() as transaction:
        found = log.list_own(transaction)[-limit:][::-1]
    if as_json:
        emit([asdict(entry) for entry in found])
    elif not found:
        talk("No entries yet.")
    else:
        out = console()
        room = max(SUBJECT, out.width - 78)
        rows = [
            (one.happened[:16].replace("T", " "), _who(one), one.action, _cut(subject_words(one), room), one.reason)
            for one in found
        ]
        out.print(table(("when", "who", "action", "subject", "reason"), rows, grow="reason"))


def _who(entry: AuditEntry) -> str:
    """Who acted, and how a yes came that a person may not know of."""
    from metier.context.audit import way_words

    return ", ".join(filter(None, (entry.actor, way_words(entry))))


def _cut(text: str, room: int) -> str:
    return text if len(text) <= room else text[: room - 1] + "…"


@app.command()
def verify(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Check that no entry was changed, removed or inserted. Each entry contains the hash of the one before.

    Exits with 1 if one was, and where the whole log was lost with its database. Save the newest hash somewhere else to
    notice entries missing at the end.

    Example:  metier audit verify
    """
    from metier.store.tables import audit as log

    with open_workspace(ctx) as ws, ws.context.store.read() as transaction:
        entries = log.list_all(transaction)
        broken, lost = log.first_broken(transaction), ws.context.lost
    newest = entries[-1].hash if entries else ""
    if as_json:
        found = {"ok": broken is None and not lost, "entries": len(entries), "newest": newest}
        emit(found | {"broken": broken and broken.sequence, "lost": lost or None})
    elif broken is None and lost:
        talk(f"The log from before {lost[:16].replace('T', ' ')} (UTC) is lost. Entries since then: {len(entries)}.")
    elif broken is None:
        talk(f"All {len(entries)} entries are unchanged. Newest hash: {newest or 'none'}")
    else:
        entry = f"{broken.sequence} ({broken.happened}, {broken.action})"
        talk(f"Entry {entry} was changed, or an entry before it is missing.")
    raise typer.Exit(1 if broken or lost else 0)
