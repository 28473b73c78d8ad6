"""`metier sync`: what was approved here reaches colleagues by a branch in git."""

from __future__ import annotations

from typing import Annotated

import typer

from metier.cli.options import AsJson, open_workspace
from metier.cli.output import emit, talk
from metier.errors import RefusedError

OFF = "Sharing by a server is off in this version. Share what is approved by git: metier sync --git"
Git = Annotated[bool, typer.Option("--git", help="Make a branch with what is approved here.")]
Branch = Annotated[str, typer.Option(metavar="NAME", help="With --git: the branch's name.")]


def sync(ctx: typer.Context, git: Git = False, branch: Branch = "", as_json: AsJson = False) -> None:
    """Make a branch in git with the lessons and skills that are approved here; nothing is checked out or sent.

    Example:  metier sync --git  ·  metier sync --git --branch metier/june
    """
    if not git:
        raise RefusedError(OFF)
    from metier.sharing.git_branch import make_branch

    with open_workspace(ctx) as ws:
        made = make_branch(ws.library, branch)
    if as_json:
        shown = {"branch": made.name, "commit": made.commit}
        emit({**shown, "skills": list(made.skills), "lessons": made.lessons})
        return
    talk(f"Made the branch {made.name}: {len(made.skills)} skills, {made.lessons} lessons. Nothing is checked out.")
    talk(f"Look: git show {made.name}  ·  send it: git push -u origin {made.name}  ·  undo: git branch -D {made.name}")
