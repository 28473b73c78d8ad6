"""Connect agents to Metier and disconnect them: the plan is carried out, noted in the manifest, and undone from it."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from metier.agents.changes import (
    WrittenFile,
    WrittenFolder,
    apply_change,
    hash_of,
    new_folders,
    replace_file,
    trace_of,
)
from metier.agents.manifest import Entry, read_manifest, write_manifest
from metier.agents.plan import plugin_files, python_note
from metier.agents.undo import undo
from metier.errors import RefusedError
from metier.hooks.places import project_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.agents.changes import Change, RemoveText, Written
    from metier.agents.manifest import Manifest
    from metier.agents.places import Places
    from metier.agents.plan import ConnectionPlan

EXPLICIT = ""
"""Stands among the workspaces of a manifest for a person who connected without one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Disconnected:
    """What became of a disconnection."""

    agents: tuple[str, ...]
    removed: tuple[Path, ...]
    left: tuple[str, ...]
    """Why something was left as it is."""


def connect_agents(places: Places, plan: ConnectionPlan, workspace: str = EXPLICIT) -> dict[str, str]:
    """Carry a plan out; returns for each agent whose changes failed why they did.

    The manifest is written first, so that even a connection that was cut short can be undone.
    """
    failed: dict[str, str] = {}
    manifest = _with_workspace(read_manifest(places.manifest), workspace)
    todo = [("", plan.shared), *((one.agent.name, one.changes) for one in plan.agents)]
    for agent, changes in todo:
        if not changes:
            continue
        entries = [Entry(agent=agent, written=one) for one in (*new_folders(changes), *map(trace_of, changes))]
        write_manifest(places.manifest, manifest.with_entries(entries))
        try:
            _apply_all(changes)
        except RefusedError as error:
            write_manifest(places.manifest, manifest)
            if not agent:
                raise
            failed[agent] = str(error)
        else:
            known = [Entry(agent=agent, written=trace_of(one)) for one in changes]  # now that it is done
            manifest = manifest.with_entries([*entries, *known])
    _remove_outdated(places, manifest)
    return failed


def _apply_all(changes: Sequence[Change]) -> None:
    """Carry changes out, all or none."""
    folders = new_folders(changes)
    done: list[Written] = []
    try:
        for change in changes:
            apply_change(change)
            done.append(trace_of(change))
    except RefusedError:
        for written in (*reversed(done), *reversed(folders)):
            undo(written)
        raise


def _with_workspace(manifest: Manifest, workspace: str) -> Manifest:
    return replace(manifest, workspaces=tuple(dict.fromkeys((*manifest.workspaces, workspace))))


def _remove_outdated(places: Places, manifest: Manifest) -> None:
    """Take away files that an earlier version of the plugin had; keep the list of workspaces."""
    wanted = {places.plugin / name for name, _ in plugin_files()} | {places.python_note, places.place_note}
    gone = [
        one
        for one in manifest.entries
        if not one.agent and isinstance(one.written, WrittenFile) and one.written.path not in wanted
    ]
    for one in gone:
        undo(one.written)
    write_manifest(places.manifest, manifest.without(gone))


def remove_duplicates(places: Places, removals: Sequence[RemoveText]) -> None:
    """Take hand-made hooks out of the files of agents; disconnecting brings them back."""
    manifest = read_manifest(places.manifest)
    entries = [Entry(agent=_owner(places, one.path), written=trace_of(one)) for one in removals]
    write_manifest(places.manifest, manifest.with_entries([*_folder_entries(places), *entries]))
    _apply_all(removals)


def _owner(places: Places, path: Path) -> str:
    return "codex" if path.is_relative_to(places.codex) else "claude-code"


def _folder_entries(places: Places) -> list[Entry]:
    """The folders that the manifest itself needs."""
    missing = [one for one in (places.data, *places.data.parents) if not one.exists()]
    return [Entry(agent="", written=WrittenFolder(path=one)) for one in reversed(missing)]


def disconnect_agents(places: Places, agents: Sequence[str] = ()) -> Disconnected:
    """Undo what connecting wrote, for some agents or for all; what a person changed since is left."""
    manifest = read_manifest(places.manifest)
    names = tuple(name for name in manifest.agents if not agents or name in agents)
    is_last = set(names) == set(manifest.agents)
    chosen = [one for one in manifest.entries if one.agent in names or (is_last and not one.agent)]
    things = [one for one in chosen if not isinstance(one.written, WrittenFolder)]
    left = [reason for one in reversed(things) if (reason := undo(one.written))]
    rest = manifest.without(chosen)
    write_manifest(places.manifest, rest)
    for one in reversed(chosen):
        if isinstance(one.written, WrittenFolder):
            undo(one.written)
    removed = tuple(one.written.path for one in things)
    return Disconnected(agents=names, removed=removed, left=tuple(left))


def join_workspace(places: Places, workspace: str) -> None:
    """Note that a workspace uses the agents that others connected; nothing happens if none is connected."""
    manifest = read_manifest(places.manifest)
    if manifest.entries and workspace not in manifest.workspaces:
        write_manifest(places.manifest, _with_workspace(manifest, workspace))


def other_workspaces(places: Places, workspace: str) -> tuple[str, ...]:
    """Who else uses the connected agents, as the manifest knows it."""
    known = read_manifest(places.manifest).workspaces
    home = str(places.state)
    return tuple(one for one in known if one != workspace and (one == EXPLICIT or _is_project(one, home)))


def _is_project(folder: str, home: str) -> bool:
    return Path(folder).is_dir() and project_at(folder, home) is not None


def leave_workspace(places: Places, workspace: str) -> Disconnected | None:
    """Disconnect the agents if no other workspace needs them; None if they stay connected."""
    manifest = read_manifest(places.manifest)
    if workspace not in manifest.workspaces:
        return None
    others = other_workspaces(places, workspace)
    if others:
        write_manifest(places.manifest, replace(manifest, workspaces=others))
        return None
    return disconnect_agents(places)


def refresh_python_note(places: Places) -> bool:
    """Let the launcher find this Python if the one that it knows is gone; returns whether that was so."""
    try:
        noted = places.python_note.read_text(encoding="utf-8").partition("\n")[0]
        if os.access(noted, os.X_OK):
            return False
        replace_file(places.python_note, python_note())
        manifest = read_manifest(places.manifest)
        written = WrittenFile(path=places.python_note, hash=hash_of(python_note()))
        if manifest.written_at(places.python_note):
            write_manifest(places.manifest, manifest.with_entries([Entry(agent="", written=written)]))
    except (OSError, RefusedError):
        return False
    return True
