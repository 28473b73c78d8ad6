"""Home folders as people have them, and pictures of a folder before and after."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metier.agents.connect import connect_agents
from metier.agents.known import find_agents
from metier.agents.manifest import read_manifest
from metier.agents.places import Places, places_of
from metier.agents.plan import plan_connection

if TYPE_CHECKING:
    from pathlib import Path

    from metier.agents.plan import ConnectionPlan

Picture = dict[str, tuple[str, bytes | str, int]]
FOREIGN_HOOKS = (
    json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}}, indent=4) + "\n"
)
ODD_HOOKS = '{ "hooks" : { "Stop":[\n\t{"hooks":[]} ], "Other": [] } , "x": "a \\" } ] ü" }'
CLAUDE_SETTINGS = json.dumps({"model": "opus", "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}})


def picture(folder: Path) -> Picture:
    """Every file, link and folder below a folder: kind, content, mode."""
    found: Picture = {}
    for place, folders, names in os.walk(folder):
        for name in (*folders, *names):
            path = os.path.join(place, name)
            mode = os.lstat(path).st_mode & 0o7777
            if os.path.islink(path):
                found[os.path.relpath(path, folder)] = ("link", os.readlink(path), 0)
            elif os.path.isdir(path):
                found[os.path.relpath(path, folder)] = ("folder", "", mode)
            else:
                with open(path, "rb") as file:
                    found[os.path.relpath(path, folder)] = ("file", file.read(), mode)
    return found


def without_state(folder: Path) -> Picture:
    """The same of a home folder without Metier's own state and settings, which a workspace writes."""
    own = (".config/metier", ".local/state")
    return {path: what for path, what in picture(folder).items() if not path.startswith(own)}


@dataclass
class Home:
    """A home folder, and Metier's way with it."""

    folder: Path
    environ: dict[str, str]

    @property
    def places(self) -> Places:
        return places_of(self.environ)

    def put(self, name: str, text: str = "", mode: int = 0o644) -> Path:
        """A file; a name with a slash at its end is a folder."""
        path = self.folder / name
        if name.endswith("/"):
            path.mkdir(parents=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            path.chmod(mode)
        return path

    def plan(self) -> ConnectionPlan:
        return plan_connection(self.places, find_agents(self.places), read_manifest(self.places.manifest))

    def connect(self, workspace: str = "") -> ConnectionPlan:
        plan = self.plan()
        assert connect_agents(self.places, plan, workspace) == {}
        return plan


def home_at(folder: Path) -> Home:
    """A home folder without any agent in it or on its path."""
    folder.mkdir(parents=True, exist_ok=True)
    return Home(folder, {"HOME": str(folder), "PATH": "/nonexistent"})
