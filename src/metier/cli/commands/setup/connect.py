"""`metier connect, disconnect`: the agents of this machine, and the part of `metier init` that connects them."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from metier.cli.options import Agents, AsJson, DryRun, Yes, confirm
from metier.cli.output import emit, show, talk
from metier.errors import RefusedError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from metier.agents.changes import PutLink
    from metier.agents.connect import Disconnected
    from metier.agents.known import CodingAgent
    from metier.agents.places import Places
    from metier.agents.plan import ConnectionPlan
    from metier.capture.find_sessions import SourceSessions
    from metier.workspace import Workspace

WITHOUT_AGENT = (
    "Without one: bring sessions in with metier import, or record runs of your own program with metier record."
)
"""What one can do where no coding agent is."""
RemoveDuplicates = Annotated[
    bool,
    typer.Option("--remove-duplicates", help="Take hooks that somebody made by hand, and that do the same, out."),
]


def connect(
    agents: Agents = "",
    remove: RemoveDuplicates = False,
    yes: Yes = False,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Connect the coding agents of this machine, so that workspaces record their work and hand over skills.

    Shows every file that it would write, and asks once. Folders that are no workspace are not affected.

    Example:  metier connect --agents claude-code,codex --dry-run
    """
    from metier.agents.connect import EXPLICIT

    wanted = remove and not dry_run
    report = connect_found(EXPLICIT, agents=agents, yes=yes, dry_run=dry_run, is_quiet=as_json, remove=wanted)
    if as_json:
        emit(report.document())
    elif not report.plan.agents:
        talk(WITHOUT_AGENT)
    raise typer.Exit(1 if report.refusals else 0)


def disconnect(
    agents: Agents = "",
    as_json: AsJson = False,
) -> None:
    """Undo `metier connect`: everything that it wrote goes. What you changed since is left, and named.

    Example:  metier disconnect --agents codex
    """
    from metier.agents.connect import disconnect_agents
    from metier.agents.known import named_agents
    from metier.agents.places import places_of

    names = tuple(one.name for one in named_agents(_split(agents)))
    done = disconnect_agents(places_of(os.environ), names)
    if as_json:
        emit({"agents": done.agents, "removed": [str(path) for path in done.removed], "left": done.left})
    else:
        tell_disconnected(done)
    raise typer.Exit(1 if done.left else 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectReport:
    """What became of connecting the agents that were found."""

    plan: ConnectionPlan
    refusals: dict[str, str]
    """Why an agent was not connected."""
    is_done: bool
    """Whether the plan was carried out."""

    def document(self) -> list[dict[str, Any]]:
        """The report as JSON."""
        from metier.agents.changes import diff_of

        return [
            {
                "agent": one.agent.name,
                "status": self.status_of(one.agent),
                "changes": [{"path": str(change.path), "diff": diff_of(change)} for change in one.changes],
                "reason": self.refusals.get(one.agent.name, ""),
                "next": one.next_step,
            }
            for one in self.plan.agents
        ]

    def status_of(self, agent: CodingAgent) -> str:
        """What became of one agent."""
        if agent.name in self.refusals:
            return "refused"
        if not agent.has_hooks:
            return "skills only"
        changes = next(one.changes for one in self.plan.agents if one.agent == agent)
        if not changes and not self.plan.shared:
            return "unchanged"
        return "connected" if self.is_done else "planned"

    def connected(self) -> list[str]:
        """The titles of the agents that work with Metier now."""
        wanted = ("connected", "unchanged")
        return [one.agent.title for one in self.plan.agents if self.status_of(one.agent) in wanted]


def connect_found(
    workspace: str,
    *,
    agents: str,
    yes: bool,
    dry_run: bool,
    is_quiet: bool,
    remove: bool = False,
    links: Sequence[PutLink] = (),
    again: str = "metier connect",
    is_agreed: bool = False,
) -> ConnectReport:
    """Find the agents, show what connecting them would change, ask, and do it; `is_agreed`: that was shown before."""
    from metier.agents.connect import connect_agents
    from metier.agents.manifest import read_manifest
    from metier.agents.places import places_of
    from metier.agents.plan import plan_connection
    from metier.cli.views.connect import show_plan, tell_connected
    from metier.context.state_folder import state_home

    state_home(os.environ)  # refuse a place where hooks would not look
    places = places_of(os.environ)
    _offer_removal(places, workspace, wanted=remove, is_quiet=is_quiet or dry_run)
    plan = plan_connection(places, wanted_agents(places, agents), read_manifest(places.manifest), links)
    refusals = {one.agent.name: one.refusal for one in plan.agents if one.refusal}
    if not (is_quiet or is_agreed):
        show_plan(plan, places)
    agreed = yes or is_agreed or not plan.changes
    is_wanted = not dry_run and _agrees(yes=agreed)
    if is_wanted and (plan.changes or workspace):
        refusals |= connect_agents(places, plan, workspace)
    report = ConnectReport(plan=plan, refusals=refusals, is_done=is_wanted)
    if not is_quiet:
        tell_connected(report, again)
    return report


def wanted_agents(places: Places, agents: str) -> Sequence[CodingAgent]:
    """The agents that were named, or else those of this machine."""
    from metier.agents.known import find_agents, named_agents

    return named_agents(_split(agents)) or find_agents(places)


def _offer_removal(places: Places, workspace: str, *, wanted: bool, is_quiet: bool) -> None:
    """Name what does the same as the connected hooks, and take it out of the settings if the person says so."""
    from pathlib import Path

    from metier.agents.changes import diff_of
    from metier.agents.connect import remove_duplicates
    from metier.agents.duplicates import find_duplicates, removals_of

    found = find_duplicates(places, Path(workspace) if workspace else None)
    removals = removals_of(places, found)
    for one in () if is_quiet else found:
        talk(f"{one.path} has {one.what}. It does the same, so everything would run twice.")
        if one.fix:
            talk(f"  Remove it: {one.fix}")
    if removals and (wanted or not is_quiet) and _wants_removal([diff_of(one) for one in removals], wanted, is_quiet):
        remove_duplicates(places, removals)


def _wants_removal(diffs: Sequence[str], wanted: bool, is_quiet: bool) -> bool:  # noqa: FBT001 - two flags of one command
    for diff in () if is_quiet else diffs:
        talk(diff)
    if wanted:
        return True
    if sys.stdin.isatty():
        return typer.confirm("Take these hooks out?", err=True)
    talk("Take the hooks out: metier connect --remove-duplicates")
    return False


def _agrees(*, yes: bool) -> bool:
    try:
        confirm("Write this?", yes=yes)
    except RefusedError:
        return False
    except typer.Abort:
        talk("\nNothing was written.")
        raise
    return True


def agrees_to_new(root: Path, state: Path, agents: str, past: Sequence[SourceSessions]) -> bool:
    """Show all that a new workspace, connecting and importing would write, and ask once."""
    from metier.agents.manifest import read_manifest
    from metier.agents.places import places_of
    from metier.agents.plan import plan_connection
    from metier.cli.views.connect import show_plan, show_workspace
    from metier.library.claude_links import first_links
    from metier.text.counts import plural

    places = places_of(os.environ)
    links = first_links(places.home, str(places.claude))
    plan = plan_connection(places, wanted_agents(places, agents), read_manifest(places.manifest), links)
    show_workspace(root, state, places)
    show_plan(plan, places)
    for one in past:
        count = len(one.sessions)
        size = f"{one.size / 2**20:.1f} MB"
        show(f"Then it imports {plural(count, 'session')} that {one.source.title} had here ({size}), without secrets.")
    return _agrees(yes=False)


def connect_workspace(
    ws: Workspace, agents: str, *, yes: bool, is_agreed: bool, is_quiet: bool
) -> ConnectReport | None:
    """Connect agents for a workspace and show them its skills; None if nobody could be asked."""
    if not yes and not sys.stdin.isatty():
        if not is_quiet:
            talk(_why_unasked(agents))
        return None
    from metier.library.claude_links import planned_links

    links = planned_links(ws.library, is_connecting=True)
    return connect_found(
        str(ws.root), agents=agents, yes=yes, dry_run=False, is_quiet=is_quiet, links=links, is_agreed=is_agreed
    )


def _why_unasked(agents: str) -> str:
    """Why no agent was connected where nobody could be asked."""
    from metier.agents.places import places_of
    from metier.cli.views.connect import NO_AGENT

    if wanted_agents(places_of(os.environ), agents):
        return "Agents were not connected: there is no terminal to ask on. Connect them: metier connect --yes"
    return NO_AGENT


def _links_of(root: Path, flags: Mapping[str, object]) -> list[PutLink]:
    from metier.library.claude_links import planned_links
    from metier.workspace import Workspace

    with Workspace.open(root, create=False, flags=flags) as ws:
        return planned_links(ws.library, is_connecting=True)


def show_dry_run(
    root: Path, state: Path, agents: str, flags: Mapping[str, object], *, is_known: bool, as_json: bool
) -> None:
    """What `metier init` would do in a folder."""
    from metier.agents.places import places_of
    from metier.cli.views.connect import show_workspace
    from metier.library.claude_links import first_links

    places = places_of(os.environ)
    links = _links_of(root, flags) if is_known else first_links(places.home, str(places.claude))
    if not as_json and is_known:
        show(f"{root} is already a workspace.")
    elif not as_json:
        show_workspace(root, state, places)
    report = connect_found(
        str(root), agents=agents, yes=True, dry_run=True, is_quiet=as_json, links=links, again="metier init"
    )
    if as_json:
        emit({"workspace": str(root), "new": not is_known, "agents": report.document()})
    elif not report.plan.changes:
        talk("Nothing was written. To do it: metier init")


def tell_disconnected(done: Disconnected) -> None:
    """Say what was undone, and what was left."""
    for reason in done.left:
        talk(f"Left alone: {reason}.")
    if done.agents:
        talk(f"Disconnected {', '.join(done.agents)}. Connect again: metier connect")
    else:
        talk("No agent was connected.")


def _split(names: str) -> list[str]:
    return [name.strip() for name in names.split(",") if name.strip()]
