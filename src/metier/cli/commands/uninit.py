"""`metier uninit`: undo `metier init`, losing nothing."""

from __future__ import annotations

from shlex import quote

import typer

from metier.cli.options import AsJson, Yes, confirm, opened
from metier.cli.output import emit, talk
from metier.errors import RefusedError, StoreError

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def uninit(ctx: typer.Context, yes: Yes = False, as_json: AsJson = False) -> None:
    """Stop recording here: the state folder is renamed, so that nothing is lost.

    Example:  metier uninit --yes
    """
    ws = opened(ctx)
    if ws.state.parent != ws.root:
        raise RefusedError(
            f"{ws.state} is shared by several workspaces. Unset METIER_HOME (or state_dir) here instead."
        )
    moment = ws.now()[:19].replace(":", "").replace("-", "")
    aside = ws.state.with_name(f"{ws.state.name}-removed-{moment}")
    confirm(f"Rename {ws.state} to {aside.name} and stop recording here?", yes=yes)
    ws.close()
    try:
        ws.state.rename(aside)
    except OSError as error:
        raise StoreError(f"{ws.state} cannot be renamed: {error.strerror}.") from None
    if as_json:
        emit({"state": str(ws.state), "moved_to": str(aside)})
    else:
        talk(f"Nothing is recorded in {ws.root} any more. The state is kept in {aside}.")
        talk(f"Undo: mv {quote(str(aside))} {quote(str(ws.state))}")
