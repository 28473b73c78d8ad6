"""`metier status`: what is broken and what waits, each with the command that answers."""

from __future__ import annotations

from dataclasses import asdict

import typer  # noqa: TC002 - it reads the annotations at run time

from metier.cli.options import AsJson, open_workspace
from metier.cli.output import console, emit, talk, visible

TITLES = {"broken": "Broken", "waits": "Waits for you"}


def status(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Show what is broken and what waits for you.

    Each line has the command that answers.

    Example:  metier status
    """
    from metier.maintenance.status import status_of

    with open_workspace(ctx, mends_loss=True) as ws:
        found = status_of(ws.library)
    if as_json:
        emit([asdict(one) for one in found])
        return
    if not found:
        talk("Nothing is broken, and nothing waits for you.")
    out = console()
    for group, title in TITLES.items():
        items = [one for one in found if one.group == group]
        if items:
            out.print(title)
        for one in items:
            out.print(visible(f"  {one.text}"))
            out.print(visible(f"    -> {one.command}"))
