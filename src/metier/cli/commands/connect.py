"""`metier connect, disconnect`: the agents of this machine, and the part of `metier init` that connects them."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import typer

from metier.cli.options import Agents, AsJson, DryRun, Yes, confirm
from metier.cli.output import emit, talk
from metier.errors import RefusedError

if TYPE_CHECKING:
    from pathlib import Path

    from metier.agents.connect import Disconnected
    from metier.agents.known import CodingAgent
    from metier.agents.plan import ConnectionPlan


def connect(
    agents: Agents = "",
    yes: Yes = False,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Connect the coding agents of this machine, so that workspaces record their work and hand over skills.

    Shows every file that it would write, and asks once. Folders that are no workspace are not affected.

    Example:  metier connect --agents claude-code,codex --dry-run
    """
    from metier.agents.connect import EXPLICIT

    report = connect_found(EXPLICIT, agents=agents, yes=yes, dry_run=dry_run, is_quiet=as_json)
    if as_json:
        emit(report.document())
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


def connect_found(workspace: str, *, agents: str, yes: bool, dry_run: bool, is_quiet: bool) -> ConnectReport:
    """Find the agents, show what connecting them would change, ask, and do it."""
    from metier.agents.connect import connect_agents
    from metier.agents.known import find_agents, named_agents
    from metier.agents.manifest import read_manifest
    from metier.agents.places import places_of
    from metier.agents.plan import plan_connection
    from metier.cli.views.connect import show_plan, tell_connected

    places = places_of(os.environ)
    found = named_agents(_split(agents)) or find_agents(places)
    plan = plan_connection(places, found, read_manifest(places.manifest))
    refusals = {one.agent.name: one.refusal for one in plan.agents if one.refusal}
    if not is_quiet:
        show_plan(plan, places)
    is_wanted = not dry_run and (not plan.changes or _agrees(yes=yes))
    if is_wanted and (plan.changes or workspace):
        refusals |= connect_agents(places, plan, workspace)
    report = ConnectReport(plan=plan, refusals=refusals, is_done=is_wanted)
    if not is_quiet:
        tell_connected(report)
    return report


def _agrees(*, yes: bool) -> bool:
    try:
        confirm("Write this?", yes=yes)
    except RefusedError:
        return False
    return True


def connect_workspace(
    ctx: typer.Context, root: Path, agents: str, *, yes: bool, is_quiet: bool
) -> ConnectReport | None:
    """Connect agents for a workspace, and offer the sessions they had there; None if nobody could be asked."""
    if not yes and not sys.stdin.isatty():
        if not is_quiet:
            talk("Agents were not connected: there is no terminal to ask on. Connect them: metier connect --yes")
        return None
    report = connect_found(str(root), agents=agents, yes=yes, dry_run=False, is_quiet=is_quiet)
    if not is_quiet:
        _offer_import(ctx, root)
    return report


def show_dry_run(root: Path, agents: str, *, is_known: bool, as_json: bool) -> None:
    """What `metier init` would do in a folder."""
    report = connect_found(str(root), agents=agents, yes=True, dry_run=True, is_quiet=as_json)
    if as_json:
        emit({"workspace": str(root), "new": not is_known, "agents": report.document()})
    else:
        talk(f"{root} is already a workspace." if is_known else f"A workspace would be made in {root}.")


def _offer_import(ctx: typer.Context, root: Path) -> None:
    """Offer to import the sessions that agents had in this folder before; only a person can say yes."""
    from metier.capture.find_sessions import find_local_sessions
    from metier.cli.commands.import_ import import_

    if not sys.stdin.isatty() or not list(find_local_sessions(root, os.environ, everywhere=False)):
        return
    talk("Your agents worked here before:")
    with suppress(RefusedError, typer.Exit):
        import_(ctx)


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
