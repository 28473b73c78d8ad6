"""`metier pause` and `metier resume`: stop all recording, learning and giving at once, and go on."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from metier.cli.options import AsJson, options
from metier.cli.output import emit, talk

if TYPE_CHECKING:
    from pathlib import Path

Everywhere = Annotated[bool, typer.Option("--everywhere", help="In all your workspaces, not in this one alone.")]


def pause(ctx: typer.Context, everywhere: Everywhere = False, as_json: AsJson = False) -> None:
    """Stop at once: nothing is recorded, learned or given to an agent until `metier resume`.

    Example:  metier pause  ·  metier pause --everywhere
    """
    root = _switch(ctx, everywhere=everywhere, off=True)
    if as_json:
        emit({"paused": True, "workspace": str(root) if root else None})
        return
    talk(f"Paused {_where(root)}. Nothing is recorded, learned or given to an agent.")
    talk(f"Undo: metier resume{'' if root else ' --everywhere'}")


def resume(ctx: typer.Context, everywhere: Everywhere = False, as_json: AsJson = False) -> None:
    """Go on after `metier pause`.

    Example:  metier resume
    """
    from metier.config.switch import off_text
    from metier.context.context import settings_for

    root = _switch(ctx, everywhere=everywhere, off=False)
    if as_json:
        emit({"paused": False, "workspace": str(root) if root else None})
        return
    talk(f"Resumed {_where(root)}. Undo: metier pause{'' if root else ' --everywhere'}")
    if root and (still := off_text(settings_for(root, options(ctx).flags, os.environ))):
        talk(still)


def _switch(ctx: typer.Context, *, everywhere: bool, off: bool) -> Path | None:
    """Change it in the settings of the workspace, or of all (None); returns which."""
    from metier.config import switch
    from metier.context.context import find_workspace

    found = None if everywhere else find_workspace(options(ctx).folder, os.environ)
    (switch.pause if off else switch.resume)(os.environ, found.state if found else None)
    return found.root if found else None


def _where(root: Path | None) -> str:
    return str(root) if root else "all your workspaces"
