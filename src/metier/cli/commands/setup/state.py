"""`metier init, uninit, where, config, backup, restore, doctor`: commands on a workspace and its state folder."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from metier.cli.commands.setup.offers import Import, InitWishes, ModelName, SendSessions, hint_of, offer_all
from metier.cli.options import Agents, AsJson, DryRun, Yes, confirm, open_workspace, options, prepare_hooks
from metier.cli.output import console, emit, table, talk, visible
from metier.errors import ConfigError, DamagedError, InputError, RefusedError, StoreError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from metier.agents.places import Places
    from metier.library.roots import Root
    from metier.workspace import Workspace

TargetArgument = Annotated[str, typer.Argument(metavar="FILE", help="The file to write, for example metier.tar.gz.")]
BackupArgument = Annotated[str, typer.Argument(metavar="FILE", help="A file that `metier backup` wrote.")]
NoConnect = Annotated[bool, typer.Option("--no-connect", help="Make the workspace only.")]
Adopt = Annotated[bool, typer.Option("--adopt", help="Look at a state folder from elsewhere, then use it.")]
Full = Annotated[bool, typer.Option("--full", help="Read a large database to its end, which takes seconds.")]
SIGNS = {"ok": ("ok", "green"), "warning": ("note", "yellow"), "problem": ("PROBLEM", "red")}


def init(
    ctx: typer.Context,
    agents: Agents = "",
    no_connect: NoConnect = False,
    adopt: Adopt = False,
    imports: Import = False,
    model: ModelName = "",
    sends: SendSessions = False,
    yes: Yes = False,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Turn this folder (or the git checkout it is in) into a workspace, and connect the coding agents of this machine.

    Shows every file that it would write, and asks once; nothing is written before your yes. Then offers to import the
    sessions that agents had here before, and to use an agent's own login as the model. Without a terminal and without
    --yes, it makes the workspace only. --yes connects; past sessions, the model and sending text to it have options of
    their own.

    A state folder that you did not make here (it came with a clone, or the project was moved) is set aside.
    With --adopt you see what is in it and can use it.

    Example:  cd my-project && metier init  ·  metier init --yes --import --model claude-code:haiku
    """
    import os
    import sys
    from pathlib import Path

    from metier.agents.connect import join_workspace
    from metier.agents.known import named_agents
    from metier.agents.manifest import read_manifest
    from metier.agents.places import places_of
    from metier.cli.commands.setup.adopt import adopt_foreign_state
    from metier.cli.commands.setup.connect import agrees_to_new, connect_workspace, show_dry_run
    from metier.config import outer_state_dir, state_folder
    from metier.context import state_folder as place
    from metier.hooks.identity import key_path, read_key
    from metier.library.delivery.notes_file import refresh_notes
    from metier.workspace import Workspace as Opened

    given, wishes = options(ctx), InitWishes(imports=imports, model=model, sends=sends)
    places = places_of(os.environ)
    named_agents([one.strip() for one in agents.split(",") if one.strip()])  # before anything is made
    if adopt:
        adopt_foreign_state(given, yes=yes, as_json=as_json)
        return
    shared = outer_state_dir(given.flags, os.environ)
    known = place.find_root(Path(given.folder), os.environ, shared)
    new = known or place.new_root(Path(given.folder), os.environ)
    state = state_folder(new, shared)
    if dry_run:
        show_dry_run(new, state, agents, given.flags, is_known=known is not None, as_json=as_json)
        return
    asks = known is None and not (no_connect or yes or as_json) and sys.stdin.isatty()
    is_agreed = agrees_to_new(new, state, agents) if asks else None
    if is_agreed is False:
        talk("Nothing was written. To do it: metier init   To make the workspace only: metier init --no-connect")
        return
    has_key = bool(read_key(os.environ))
    with Opened.open(given.folder, flags=given.flags) as ws:
        document = {"workspace": str(ws.root), "state": str(ws.state), "name": ws.name, "new": known is None}
        roots = _roots_with_skills(ws.library.roots)
        _tell_workspace(ws, roots, is_new=known is None, is_quiet=as_json)
        if not has_key and not is_agreed and not as_json:
            talk(f"Made your own key, {key_path(os.environ)}, which seals what you approve.")
        wants = {"yes": yes, "is_agreed": bool(is_agreed), "is_quiet": as_json}
        report = None if no_connect else connect_workspace(ws, agents, **wants)
        join_workspace(places, str(ws.root))
        if known:
            refresh_notes(ws.context)  # `metier uninit` may have taken those for all projects away
        if roots:
            prepare_hooks(ws)
        offered = offer_all(ctx, ws, wishes, is_quiet=as_json)
    if as_json:
        emit(document | {"skill_roots": _root_rows(roots), "agents": report.document() if report else []} | offered)
    else:
        talk(hint_of(wishes, is_connected=bool(read_manifest(places.manifest).agents)))
    raise typer.Exit(1 if report and report.refusals else 0)


def _tell_workspace(ws: Workspace, roots: Sequence[tuple[Root, int]], *, is_new: bool, is_quiet: bool) -> None:
    notice = ws.context.notice
    if notice:
        talk(notice)
    if is_quiet:
        return
    if is_new or notice:
        talk(f"Created workspace {ws.name}. Its state is in {ws.state} (git ignores it).")
    else:
        talk(f"{ws.root} is already a workspace. Its state is in {ws.state}.")
    for root, count in roots:
        agent = f" ({root.agent})" if root.agent else ""
        talk(f"Found {count} skill{'' if count == 1 else 's'} in {root.path}{agent}.")


def _root_rows(roots: Sequence[tuple[Root, int]]) -> list[dict[str, object]]:
    return [{"path": str(one.path), "level": one.level, "agent": one.agent, "skills": n} for one, n in roots]


def _roots_with_skills(roots: Sequence[Root]) -> list[tuple[Root, int]]:
    return [(root, count) for root in roots if (count := _count_skills(root.path))]


def _count_skills(folder: Path) -> int:
    """How many skills lie in a folder at a first look; links lead to others."""
    return sum(not file.parent.is_symlink() for file in folder.glob("*/[Ss][Kk][Ii][Ll][Ll].md"))


def uninit(ctx: typer.Context, yes: Yes = False, as_json: AsJson = False) -> None:
    """Stop recording here. The state folder is renamed, so nothing is lost.

    Agents are disconnected if no other workspace needs them.

    Example:  metier uninit --yes
    """
    import os

    from metier.agents.connect import leave_workspace, other_workspaces
    from metier.agents.places import places_of
    from metier.cli.commands.setup.connect import tell_disconnected
    from metier.library.claude_links import unlink_all
    from metier.library.delivery.notes_file import drop_person_notes

    places = places_of(os.environ)
    _check_workspace(ctx, places)
    ws = open_workspace(ctx)
    if ws.state.parent != ws.root:
        raise RefusedError(
            f"{ws.state} is shared by several workspaces. To stop recording here, unset METIER_HOME (or state_dir)."
        )
    moment = ws.context.now()[:19].replace(":", "").replace("-", "")
    aside = _free_name(ws.state.with_name(f"{ws.state.name}-removed-{moment}"))
    confirm(f"Rename {ws.state} to {aside.name} and stop recording here?", yes=yes)
    ws.close()
    try:
        ws.state.rename(aside)
    except OSError as error:
        raise StoreError(f"{ws.state} cannot be renamed: {error.strerror}.") from None
    unlinked = unlink_all(ws.root)
    forgot = not other_workspaces(places, str(ws.root)) and drop_person_notes(ws.context)
    done = leave_workspace(places, str(ws.root))
    if as_json:
        emit({"state": str(ws.state), "moved_to": str(aside), "disconnected": done.agents if done else []})
    else:
        if done:
            tell_disconnected(done)
        elif others := other_workspaces(places, str(ws.root)):
            used = "1 other workspace uses" if len(others) == 1 else f"{len(others)} other workspaces use"
            talk(f"The hooks of your agents stay: {used} them. Take them out: metier disconnect")
        talk(f"Recording stopped in {ws.root}. The state is kept in {aside}.")
        talk(f"Delete it for good: rm -r {quote(str(aside))}")
        _tell_what_stays(ws.root, places)
        again = " && metier init" if done or unlinked or forgot else ""
        talk(f"Undo: mv {quote(str(aside))} {quote(str(ws.state))}{again}")


def _check_workspace(ctx: typer.Context, places: Places) -> None:
    """Refuse to undo what was never made; agents may be connected all the same."""
    import os
    from pathlib import Path

    from metier.agents.manifest import read_manifest
    from metier.config import outer_state_dir
    from metier.context import state_folder as place

    given = options(ctx)
    if place.find_root(Path(given.folder), os.environ, outer_state_dir(given.flags, os.environ)) is None:
        agents = " Agents are connected on this machine; take that back: metier disconnect"
        still = agents if read_manifest(places.manifest).agents else ""
        raise ConfigError(
            f"There is no workspace in {Path(given.folder).absolute()}, so there is nothing to undo.{still}"
        )


def _tell_what_stays(root: Path, places: Places) -> None:
    """Say what is still there: skills are files of the project and may be in its git; the state needs the key."""
    from metier.config import FILE, STATE
    from metier.hooks.identity import KEY_FILE
    from metier.library.roots import AGENTS

    for base in dict.fromkeys((root, places.home)):
        if count := _count_skills(base / AGENTS):
            whose = "files of your project" if base == root else "your own, for all projects"
            skills = (
                f"1 skill in {base / AGENTS}, which is"
                if count == 1
                else f"{count} skills in {base / AGENTS}, which are"
            )
            talk(f"Not touched: {skills} {whose}. Delete what you do not want.")
    own, history = places.settings / FILE, places.home / STATE
    if root != places.home and history.is_dir():
        talk(f"Not touched: {places.short(history)}, the history of your own skills.")
    if own.exists():
        talk(f"Not touched: your own settings, {places.short(own)}.")
    key = places.short(places.settings / KEY_FILE)
    talk(f"Not touched: your key, {key}. The state that is kept is sealed with it.")


def _free_name(path: Path) -> Path:
    """The path, or with a number behind it if something is there: two within a second."""
    from itertools import count

    numbered = (path.with_name(f"{path.name}-{number}") for number in count(2))
    return path if not path.exists() else next(one for one in numbered if not one.exists())


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


def backup(ctx: typer.Context, file: TargetArgument, as_json: AsJson = False) -> None:
    """Write the whole state to one file, without stopping anything. The redaction key is not included.

    Example:  metier backup ~/metier-$(date +%F).tar.gz
    """
    from pathlib import Path

    from metier.maintenance.backup import write_backup as write

    target = Path(file).expanduser().resolve()
    with open_workspace(ctx) as ws:
        size = write(ws.context, target)
    if as_json:
        emit({"file": str(target), "bytes": size})
    else:
        name = quote(str(target))
        talk(f"Wrote {target} ({size:,} bytes). Restore it: metier restore {name}   Undo: rm {name}")


def restore(ctx: typer.Context, file: BackupArgument, yes: Yes = False, as_json: AsJson = False) -> None:
    """Replace the state with a backup. The current state is backed up first.

    Example:  metier restore ~/metier-2026-01-31.tar.gz
    """
    from pathlib import Path

    from metier.maintenance.backup import restore_backup as bring_back
    from metier.maintenance.backup import set_database_aside

    source = Path(file).expanduser().resolve()
    if not source.is_file():
        raise InputError(f"There is no file {source}. Give a file that `metier backup` wrote.")
    confirm(f"Replace everything recorded here with {source}?", yes=yes)
    try:
        ws = open_workspace(ctx, create=True)
    except DamagedError:
        aside = set_database_aside(options(ctx).folder, options(ctx).flags)
        talk(f"Moved the damaged database to {aside}.")
        ws = open_workspace(ctx, create=True)
    with ws:
        saved = bring_back(ws.context, source)
    if as_json:
        emit({"file": str(source), "saved": str(saved) if saved else None})
    else:
        undo = f"Undo: metier restore {quote(str(saved))}" if saved else "There was nothing here before."
        talk(f"Restored {source}. {undo}")


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
