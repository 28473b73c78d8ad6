"""The doctor's look at coding agents: connected, intact, trusted, and connected once only."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

from metier.agents.codex_trust import ask_codex_trust
from metier.agents.duplicates import find_duplicates
from metier.agents.known import find_agents
from metier.agents.manifest import read_manifest
from metier.agents.places import places_of
from metier.agents.plan import codex_server_command, has_codex_server, plan_connection
from metier.errors import RefusedError
from metier.maintenance.check import Check

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from metier.agents.known import CodingAgent
    from metier.agents.manifest import Manifest
    from metier.agents.places import Places

NAME = "agents"
SECONDS = 5


def check_agents(project: Path, environ: Mapping[str, str], *, records_headless: bool) -> Iterator[Check]:
    """Look at the agents of this machine and at their connection."""
    places = places_of(environ)
    found = find_agents(places)
    try:
        manifest = read_manifest(places.manifest)
    except RefusedError as error:
        yield Check(name=NAME, state="problem", text=str(error), fix="then run `metier connect`")
        return
    connected = [one for one in found if one.name in manifest.agents]
    missing = [one.title for one in found if one.has_hooks and one.name not in manifest.agents]
    if missing:
        text = f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} not connected"
        yield Check(name=NAME, state="warning" if not connected else "ok", text=text, fix="metier connect")
    if not connected:
        return
    yield from _connected(places, connected, manifest, environ)
    if not records_headless:
        text = "runs that programs start (claude -p, codex exec) are not recorded"
        yield Check(name=NAME, state="ok", text=text, fix="to record them: metier config set record_headless true")
    for one in find_duplicates(places, project):
        fix = one.fix or "metier connect --remove-duplicates"
        yield Check(name=NAME, state="warning", text=f"{one.path} has {one.what}; everything runs twice", fix=fix)


def _connected(
    places: Places, agents: list[CodingAgent], manifest: Manifest, environ: Mapping[str, str]
) -> Iterator[Check]:
    """Whether what connecting wrote is all there, and works."""
    plan = plan_connection(places, agents, manifest)
    broken = [one.agent.title for one in plan.agents if one.changes or one.refusal]
    if broken or plan.shared:
        text = f"the connection of {' and '.join(broken)} is not complete" if broken else "the plugin is outdated"
        yield Check(name=NAME, state="problem" if broken else "warning", text=text, fix="metier connect")
    else:
        yield Check(name=NAME, state="ok", text=f"{', '.join(one.title for one in agents)} connected")
    if not _can_start(places):
        text = f"{places.python_note} names a Python without Metier: the hooks are silent"
        yield Check(name=NAME, state="problem", text=text, fix="metier connect")
    if any(one.name == "codex" for one in agents):
        yield from _codex_trust(places, environ)
        yield _codex_server(places)


def _codex_server(places: Places) -> Check:
    if has_codex_server(places):
        return Check(name=NAME, state="ok", text="Codex knows the MCP server")
    text, fix = "Codex does not know the MCP server: it can ask for nothing by itself", codex_server_command(places)
    return Check(name=NAME, state="warning", text=text, fix=fix)


def _codex_trust(places: Places, environ: Mapping[str, str]) -> Iterator[Check]:
    match ask_codex_trust(places, environ):
        case "trusted":
            yield Check(name=NAME, state="ok", text="Codex trusts the hooks")
        case "untrusted":
            fix = 'start codex once and choose "Trust all and continue"'
            yield Check(name=NAME, state="problem", text="Codex does not run the hooks: they are not trusted", fix=fix)
        case "unknown":
            text = "Codex could not be asked whether it trusts the hooks"
            yield Check(name=NAME, state="warning", text=text, fix="start codex once and look at what it asks")


def _can_start(places: Places) -> bool:
    """Whether the Python that hooks start has Metier."""
    try:
        python, flags, *_ = [*places.python_note.read_text(encoding="utf-8").splitlines(), "", ""]
        if not os.access(python, os.X_OK):
            return False
        command = [python, flags or "-I", "-c", "import metier.hooks"]
        done = subprocess.run(command, capture_output=True, timeout=SECONDS, check=False)  # noqa: S603 - the person's own
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
