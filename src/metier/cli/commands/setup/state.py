"""`metier uninit, where, doctor`: commands on a workspace and its state folder."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from metier.cli.options import AsJson, Yes, confirm, open_workspace, options
from metier.cli.output import console, emit, table, talk, visible
from metier.errors import ConfigError, StoreError

if TYPE_CHECKING:
    from pathlib import Path

    from metier.agents.places import Places

Full = Annotated[bool, typer.Option("--full", help="Read a large database to its end, which takes seconds.")]
SIGNS = {"ok": ("ok", "green"), "warning": ("note", "yellow"), "problem": ("PROBLEM", "red")}


def uninit(ctx: typer.Context, yes: Yes = False, as_json: AsJson = False) -> None:
    """Stop recording here. The state folder stays where it is, so nothing is lost.

    Agents are disconnected if no other workspace needs them.

    Example:  metier uninit --yes
    """
    import os

    from metier.agents.connect import leave_workspace, other_workspaces
    from metier.agents.places import places_of
    from metier.cli.commands.setup.connect import tell_disconnected
    from metier.context.context import find_workspace
    from metier.context.state_folder import unbind
    from metier.library.claude_links import unlink_all
    from metier.library.delivery.notes_file import drop_person_notes

    places = places_of(os.environ)
    _check_workspace(ctx, places)
    ws = open_workspace(ctx)
    confirm(f"Stop recording in {ws.root}? Its state stays in {ws.state}.", yes=yes)
    ws.close()
    try:
        unbind(find_workspace(str(ws.root), os.environ), ws.state.parent)
    except OSError as error:
        raise StoreError(f"{ws.root} still uses {ws.state}: {error.strerror}.") from None
    unlinked = unlink_all(ws.root)
    forgot = not other_workspaces(places, str(ws.root)) and drop_person_notes(ws.context)
    done = leave_workspace(places, str(ws.root))
    if as_json:
        emit({"state": str(ws.state), "disconnected": done.agents if done else []})
    else:
        if done:
            tell_disconnected(done)
        elif others := other_workspaces(places, str(ws.root)):
            used = "1 other workspace uses" if len(others) == 1 else f"{len(others)} other workspaces use"
            talk(f"The hooks of your agents stay: {used} them. Take them out: metier disconnect")
        talk(f"Recording stopped in {ws.root}. The state is kept in {ws.state}.")
        talk(f"Delete it for good: rm -r {quote(str(ws.state))}")
        _tell_what_stays(ws.root, places)
        again = " && metier init" if done or unlinked or forgot else ""
        talk(f"Undo: metier init --adopt {ws.state.name}{again}")


def _check_workspace(ctx: typer.Context, places: Places) -> None:
    """Refuse to undo what was never made; agents may be connected all the same."""
    import os
    from pathlib import Path

    from metier.agents.manifest import read_manifest
    from metier.context import state_folder as place

    given = options(ctx)
    if place.find_place(given.folder, place.state_home(os.environ)) is None:
        agents = " Agents are connected on this machine; take that back: metier disconnect"
        still = agents if read_manifest(places.manifest).agents else ""
        raise ConfigError(
            f"There is no workspace in {Path(given.folder).absolute()}, so there is nothing to undo.{still}"
        )


def _tell_what_stays(root: Path, places: Places) -> None:
    """Say what is still there: skills are files of the project and may be in its git; the state needs the key."""
    from metier.cli.commands.setup.init import count_skills
    from metier.config import FILE
    from metier.hooks.places import USER
    from metier.library.roots import AGENTS

    for base in dict.fromkeys((root, places.home)):
        if count := count_skills(base / AGENTS):
            whose = "files of your project" if base == root else "your own, for all projects"
            skills = (
                f"1 skill in {base / AGENTS}, which is"
                if count == 1
                else f"{count} skills in {base / AGENTS}, which are"
            )
            talk(f"Not touched: {skills} {whose}. Delete what you do not want.")
    own = places.settings / FILE
    if own.exists():
        talk(f"Not touched: your own settings, {places.short(own)}.")
    talk(f"Not touched: {places.short(places.state / USER)}, your keys and the history of your own skills.")


def where(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Show the paths of this workspace: state, database, spool and settings.

    Example:  sqlite3 "$(metier where --json | jq -r .database)" '.tables'
    """
    import os

    from metier.config import FILE, user_file
    from metier.context.context import DATABASE
    from metier.hooks.spool import SPOOL

    with open_workspace(ctx) as ws:
        paths = {
            "workspace": str(ws.root),
            "name": ws.name,
            "state": str(ws.state),
            "database": ws.config.store.partition("@")[2] or ws.config.store or str(ws.state / DATABASE),
            "spool": str(ws.state / SPOOL),
            "settings": str(ws.state / FILE),
            "user_settings": str(user_file(os.environ)),
        }
    if as_json:
        emit(paths)
    else:
        console().print(table(("what", "path"), list(paths.items()), grow="path"))


def doctor(ctx: typer.Context, full: Full = False, as_json: AsJson = False) -> None:
    """Check the machine, the settings, the store and the spool. Exits with 1 if there is a problem.

    Example:  metier doctor --json
    """
    import os
    from dataclasses import asdict
    from pathlib import Path

    from rich.text import Text

    from metier.maintenance.doctor import check_workspace

    given = options(ctx)
    checks = list(check_workspace(Path(given.folder).absolute(), given.flags, os.environ, full=full))
    if as_json:
        emit([asdict(check) for check in checks])
    else:
        out = console()
        for check in checks:
            sign, colour = SIGNS[check.state]
            out.print(Text(f"{sign:<8}", style=colour), Text(f"{check.name:<12}{visible(check.text)}"), sep="")
            if check.fix:
                out.print(Text(f"{'':<20}-> {visible(check.fix)}"))
    raise typer.Exit(1 if any(check.state == "problem" for check in checks) else 0)
