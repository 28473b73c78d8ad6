"""What `metier connect` and `metier init` show: the changes before they are made, and what became of them."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING, assert_never

from metier.cli.output import show, talk
from metier.hooks.places import ID_FILE, USER, project_at

if TYPE_CHECKING:
    from pathlib import Path

    from metier.agents.changes import Change
    from metier.agents.places import Places
    from metier.agents.plan import AgentPlan, ConnectionPlan
    from metier.cli.commands.setup.connect import ConnectReport

NO_AGENT = "No coding agent was found. Metier connects Claude Code, Codex and Copilot CLI."


def show_workspace(root: Path, state: Path, places: Places) -> None:
    """Every file that a new workspace would write."""
    found = project_at(str(root), str(places.state))
    if found is not None and found.twin:
        name = os.path.basename(found.state)  # noqa: PTH119 - a text
        show(f"{root} is a copy of {os.path.dirname(found.twin)} and gets state of its own.")  # noqa: PTH120
        show(f"To go on with that one's state here, and no longer there: metier init --adopt {name}")
    show(f"A workspace would be made in {root}:")
    show(f"  {places.short(state)}  (its state: runs, history, settings; outside the project)")
    if (root / ".git").is_dir():
        show(f"  {places.short(root / '.git' / ID_FILE)}  (a random id, by which it is known again)")
    if not (places.state / USER).is_dir():
        show(f"  {places.short(places.state / USER)}  (your own keys, for all projects)")


def show_plan(plan: ConnectionPlan, places: Places) -> None:
    """Every file that would be written, with a diff of those that are there already."""
    from metier.agents.changes import AddServer, EditHooks, diff_of

    if not plan.agents:
        show(NO_AGENT)
        return
    show(f"Found {_list([one.agent.title for one in plan.agents])}.")
    if not plan.changes:
        return
    show("Connecting writes these files, and nothing else:")
    _show_files(plan, places)
    for change in plan.changes:
        if isinstance(change, (EditHooks, AddServer)):
            show(diff_of(change))
    where = places.short(places.state / USER)
    show(f"Later, lessons that you approve are also kept in {where} (notes.json, words/), for all your projects.")
    show("metier uninit in your last project takes all of this back.")


def _show_files(plan: ConnectionPlan, places: Places) -> None:
    """Each file in a line; Metier's own and links to skills by their folder."""
    from metier.agents.changes import PutLink

    own = [change for change in plan.shared if change.path.is_relative_to(places.plugin)]
    if own:
        show(f"  {places.short(places.plugin)}  ({len(own)} files, Metier's plugin)")
    show(f"  {places.short(places.manifest)}  (the list of all this, from which it is undone)")
    links = [one for one in plan.changes if isinstance(one, PutLink) and one.target != places.plugin]
    for change in (one for one in plan.changes if one not in own and one not in links):
        show(f"  {places.short(change.path)}{_about(change)}")
    for folder in dict.fromkeys(one.path.parent for one in links):
        names = [one.path.name for one in links if one.path.parent == folder]
        show(f"  {places.short(folder)}  (links to skills: {', '.join(names)})")


def _about(change: Change) -> str:
    from metier.agents.changes import AddServer, EditHooks, PutFile, PutLink, RemoveText, RunPrograms

    match change:
        case PutLink():
            return "  (a link to the plugin; no settings are edited)"
        case EditHooks():
            return f"  ({len(change.groups)} hooks, added at the end)"
        case AddServer():
            return "  (the MCP server, added at the end)"
        case PutFile():
            return "  (which Python to start)"
        case RemoveText():
            return "  (hooks made by hand go)"
        case RunPrograms():
            return f"  (by {' and '.join(shlex.join(one) for one in change.commands)})"
        case _:
            assert_never(change)


def tell_connected(report: ConnectReport, again: str = "metier connect") -> None:
    """What became of each agent, and the next step; `again` is the command that does what was only shown."""
    for one in report.plan.agents:
        line = _line(report, one)
        if line:
            talk(line)
    done = report.connected()
    if report.plan.changes and not report.is_done:
        talk(f"Nothing was written. To do it: {again}")
    elif report.plan.changes and done:
        talk(f"Connected {_list(done)}. Undo: metier disconnect")
        for one in report.plan.agents:
            if one.next_step and one.agent.name not in report.refusals:
                talk(f"{one.agent.title}: {one.next_step}")


def _line(report: ConnectReport, plan: AgentPlan) -> str:
    title = plan.agent.title
    match report.status_of(plan.agent):
        case "refused":
            return f"{title} is not connected: {report.refusals[plan.agent.name]}"
        case "skills only":
            return f"{title} reads learned skills by itself; import its sessions with metier import."
        case "unchanged":
            return f"{title} is connected already."
        case _:
            return ""


def _list(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
