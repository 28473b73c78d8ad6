"""`metier skills trust`: one yes to the skills of the project that wait for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from metier.cli.options import open_workspace, prepare_hooks
from metier.cli.output import console, talk, visible
from metier.cli.yes import deciding, is_typed
from metier.errors import RefusedError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.library.listing import Skill
    from metier.workspace import Workspace

NamesArgument = Annotated[
    list[str] | None, typer.Argument(metavar="[SKILL...]", help="Only these skills, also such as had a no before.")
]
ASKS = 3
"""Things a skill asks for that are shown; the others are counted."""


def trust(ctx: typer.Context, names: NamesArgument = None) -> None:
    """Say yes to the skills of this project that wait for it.

    What lies in the project's skill folders and was not applied by you waits: it may have come with a clone. The yes
    is for exactly these files; a change asks again. It needs a terminal.

    Example:  metier skills trust  ·  metier skills trust deploy
    """
    from metier.library.trust import skills_to_trust

    with open_workspace(ctx) as ws:
        found = skills_to_trust(ws.library, names or ())
        if not found:
            talk("No skill waits for your yes.")
            return
        if not ask_to_trust(ws, found):
            raise RefusedError("Nothing was changed. The skills still wait.")
        prepare_hooks(ws)


def ask_to_trust(ws: Workspace, found: Sequence[Skill]) -> bool:
    """Show the skills with what they ask for, ask once for all of them, and keep a yes; whether it was one."""
    from metier.library.trust import trust_skills
    from metier.text.counts import plural

    with deciding():
        for line in lines_of(ws, found):
            console().print(visible(line))
        talk(f"Agents get {plural(len(found), 'skill')} of this project after your yes.")
        if not is_typed(found[0].name):
            return False
        trust_skills(ws.library, found)
    talk(f"{plural(len(found), 'skill')} can be handed out now. Undo: metier skills archive SKILL")
    return True


def lines_of(ws: Workspace, found: Sequence[Skill]) -> list[str]:
    """Name, place and wishes of each skill."""
    from metier.library.trust import asks_of_skill

    lines: list[str] = []
    for one in found:
        asks = asks_of_skill(ws.library, one)
        more = [f"and {len(asks) - ASKS} more: metier review {one.folder}"] if len(asks) > ASKS else []
        lines.append(f"{one.name}  {one.folder}  {'asks to' if asks else 'asks for nothing special'}")
        lines += [f"  {ask}" for ask in (*asks[:ASKS], *more)]
    return lines
