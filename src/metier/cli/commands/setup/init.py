"""`metier init`: make a workspace, connect the agents, offer what goes with it."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from metier.cli.commands.setup.offers import Import, InitWishes, ModelName, hint_of, offer_all
from metier.cli.options import Agents, AsJson, DryRun, Yes, options, prepare_hooks
from metier.cli.output import emit, talk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.cli.options import GlobalOptions
    from metier.library.roots import Root
    from metier.workspace import Workspace

NoConnect = Annotated[bool, typer.Option("--no-connect", help="Make the workspace only.")]
Adopt = Annotated[
    str,
    typer.Option("--adopt", metavar="STATE", help="Use this state folder, or that of a project's old folder, here."),
]


class Planned(NamedTuple):
    """The workspace that `init` is about."""

    root: Path
    state: Path
    is_new: bool


def init(
    ctx: typer.Context,
    agents: Agents = "",
    no_connect: NoConnect = False,
    adopt: Adopt = "",
    imports: Import = False,
    model: ModelName = "",
    yes: Yes = False,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Turn this folder (or the git checkout it is in) into a workspace, and connect the coding agents of this machine.

    Shows every file that it would write and the past sessions that it would import, and asks once; nothing is written
    before your yes. Then it asks about skills that came with the project, and offers an agent's own login as the model.
    Without a terminal and without --yes, it makes the workspace only. --yes connects; past sessions and the model have
    options of their own; sending text to a model is asked in a terminal.

    State lies outside the project. A git checkout that moved finds its own again; another folder that moved, and a
    copy that is to go on in the place of its original, use it with --adopt, after a look at what it holds.

    Example:  cd my-project && metier init  ·  metier init --yes --import --model claude-code:haiku
    """
    from metier.agents.known import named_agents
    from metier.capture.find_sessions import find_local_sessions
    from metier.cli.commands.setup.adopt import adopt_state
    from metier.cli.commands.setup.connect import agrees_to_new, show_dry_run

    given, wishes = options(ctx), InitWishes(imports=imports, model=model)
    named_agents([one.strip() for one in agents.split(",") if one.strip()])  # before anything is made
    if adopt:
        adopt_state(given, adopt, yes=yes, as_json=as_json)
        return
    plan = _planned(given)
    if dry_run:
        show_dry_run(plan.root, plan.state, agents, given.flags, is_known=not plan.is_new, as_json=as_json)
        return
    asks = plan.is_new and not (no_connect or yes or as_json) and sys.stdin.isatty()
    past = list(find_local_sessions(plan.root, os.environ, everywhere=False)) if asks else []
    if asks and not agrees_to_new(plan.root, plan.state, agents, past):
        talk("Nothing was written. To do it: metier init   To make the workspace only: metier init --no-connect")
        return
    wants = None if no_connect else {"yes": yes, "is_agreed": asks, "is_quiet": as_json}
    _set_up(ctx, plan, agents, replace(wishes, imports=imports or bool(past)), wants, as_json=as_json)


def _planned(given: GlobalOptions) -> Planned:
    """Where the workspace is, or would be."""
    from metier.context import state_folder as place

    home = place.state_home(os.environ)
    found = place.find_place(given.folder, home)
    root = place.planned_root(given.folder, home, os.environ)
    return Planned(root=root, state=found.state if found else home, is_new=found is None)


def _set_up(
    ctx: typer.Context,
    plan: Planned,
    agents: str,
    wishes: InitWishes,
    wants: dict[str, bool] | None,
    *,
    as_json: bool,
) -> None:
    """Make the workspace or open it, connect what is wanted (None: nothing), and offer the rest."""
    from metier.agents.connect import join_workspace
    from metier.agents.manifest import read_manifest
    from metier.agents.places import places_of
    from metier.cli.commands.setup.connect import connect_workspace, wanted_agents
    from metier.library.delivery.notes_file import refresh_notes
    from metier.workspace import Workspace as Opened

    given, places = options(ctx), places_of(os.environ)
    with Opened.open(given.folder, flags=given.flags) as ws:
        document = {"workspace": str(ws.root), "state": str(ws.state), "name": ws.name, "new": plan.is_new}
        roots = _roots_with_skills(ws.library.roots)
        _tell_workspace(ws, roots, is_new=plan.is_new, is_quiet=as_json)
        report = connect_workspace(ws, agents, **wants) if wants is not None else None
        join_workspace(places, str(ws.root))
        if not plan.is_new:
            refresh_notes(ws.context)  # `metier uninit` may have taken those for all projects away
        waiting = _ask_about_waiting(ws, is_quiet=as_json)
        if roots:
            prepare_hooks(ws)
        offered = offer_all(ctx, ws, wishes, is_quiet=as_json)
    if as_json:
        agents_done = report.document() if report else []
        emit(document | {"skill_roots": _root_rows(roots), "waiting": waiting, "agents": agents_done} | offered)
    else:
        has_agents = bool(wanted_agents(places, agents))
        talk(hint_of(wishes, is_connected=bool(read_manifest(places.manifest).agents), has_agents=has_agents))
    raise typer.Exit(1 if report and report.refusals else 0)


def _ask_about_waiting(ws: Workspace, *, is_quiet: bool) -> list[str]:
    """Ask once about all skills of the project that wait for a yes; returns those that wait still."""
    from metier.cli.commands.skills.trust import ask_to_trust
    from metier.cli.yes import has_terminal
    from metier.library.trust import skills_to_trust
    from metier.selection.wording import waiting_text

    found = skills_to_trust(ws.library)
    if found and not is_quiet and has_terminal() and ask_to_trust(ws, found):
        return []
    if found and not is_quiet:
        talk(waiting_text(len(found)))
    return [one.name for one in found]


def _tell_workspace(ws: Workspace, roots: Sequence[tuple[Root, int]], *, is_new: bool, is_quiet: bool) -> None:
    from metier.context.state_folder import container_hint

    notice = ws.context.notice
    if notice:
        talk(notice)
    if ws.context.lost:
        talk(ws.context.loss_text)
    if is_quiet:
        return
    if is_new:
        talk(f"Created workspace {ws.name}. Its state is in {ws.state}, outside the project.")
    else:
        talk(f"{ws.root} is already a workspace. Its state is in {ws.state}.")
    if hint := container_hint(ws.root, ws.state.parent, os.environ):
        talk(hint)
    for root, count in roots:
        agent = f" ({root.agent})" if root.agent else ""
        talk(f"Found {count} skill{'' if count == 1 else 's'} in {root.path}{agent}.")


def _root_rows(roots: Sequence[tuple[Root, int]]) -> list[dict[str, object]]:
    return [{"path": str(one.path), "level": one.level, "agent": one.agent, "skills": n} for one, n in roots]


def _roots_with_skills(roots: Sequence[Root]) -> list[tuple[Root, int]]:
    return [(root, count) for root in roots if not root.leads_away and (count := count_skills(root.path))]


def count_skills(folder: Path) -> int:
    """How many skills lie in a folder at a first look; links lead to others."""
    return sum(not file.parent.is_symlink() for file in folder.glob("*/[Ss][Kk][Ii][Ll][Ll].md"))
