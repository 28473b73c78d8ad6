"""`metier init`: make a workspace."""

from __future__ import annotations

import typer

from metier.cli.options import AsJson, options
from metier.cli.output import emit, talk

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def init(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Make this folder (or the git checkout around it) a workspace, so that its agents' runs are recorded.

    Example:  cd my-project && metier init
    """
    import os
    from pathlib import Path

    from metier.config import outer_state_dir
    from metier.context import state_folder as place
    from metier.context.context import Workspace

    given = options(ctx)
    shared = outer_state_dir(given.flags, os.environ)
    known = place.find_root(Path(given.folder), os.environ, shared) is not None
    with Workspace.open(given.folder, flags=given.flags) as ws:
        document = {"workspace": str(ws.root), "state": str(ws.state), "name": ws.name, "new": not known}
    if as_json:
        emit(document)
    elif known:
        talk(f"{ws.root} is a workspace already; its state lies in {ws.state}.")
    else:
        talk(f"Made the workspace {ws.name}: its state lies in {ws.state} and stays out of git.")
        talk("Record a run: metier record < runs.jsonl. See what is there: metier runs list. Undo: metier uninit")
