"""The launcher as agents start it: a copy of the plugin in a home of its own, with its notes beside it."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from selection_shop import FLAKY

from metier.agents.places import places_of
from metier.agents.plan import place_note, plugin_files
from metier.context.state_folder import make_place
from metier.hooks.notes import Note, write_notes

if TYPE_CHECKING:
    from pathlib import Path

SHELLS = [shell for shell in ("dash", "bash", "busybox") if shutil.which(shell)]
SESSIONS = itertools.count(2)
STAGE = Note("before", "Stage files by name.", check={"program": ["git", "add"], "wrong": ["."]}, denies=True)
CALL = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "git add . && git commit"}}


@dataclass
class Launcher:
    """The launcher in a home of its own."""

    home: Path
    shell: str = "sh"
    variables: dict[str, str] = field(default_factory=dict[str, str])

    def __post_init__(self) -> None:
        places = places_of({"HOME": str(self.home)})
        for name, data in plugin_files():
            (places.plugin / name).parent.mkdir(parents=True, exist_ok=True)
            (places.plugin / name).write_bytes(data)
        places.place_note.write_bytes(place_note(places))
        self.path, self.state_home, self.python_note = places.launcher, places.state, places.python_note
        self.note(sys.executable)

    def note(self, python: str | Path) -> None:
        """Say which Python has Metier."""
        self.python_note.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.python_note.write_text(f"{python}\n-I\n")

    def command(self, *words: str) -> list[str]:
        """How an agent starts it."""
        return [*(["busybox", "sh"] if self.shell == "busybox" else [self.shell]), str(self.path), *words]

    def run(self, folder: Path, *words: str, **payload: object) -> str:
        """What the launcher prints for an agent that works in a folder."""
        said = json.dumps({"cwd": str(folder), "session_id": "s1"} | payload)
        env = {"HOME": str(self.home), "PATH": os.environ["PATH"]} | self.variables
        done = subprocess.run(
            self.command(*words), input=said.encode(), capture_output=True, cwd=folder, env=env, timeout=60
        )
        assert (done.returncode, done.stderr) == (0, b"")
        return done.stdout.decode()

    def prompt(self, folder: Path, *words: str) -> str:
        """What it prints for a request in a new session."""
        session = f"s{next(SESSIONS)}"
        return self.run(folder, "prompt", *words, hook_event_name="UserPromptSubmit", prompt=FLAKY, session_id=session)

    def start(self, folder: Path) -> dict[str, Any]:
        """What it prints when a session starts."""
        said = self.run(folder, "start", hook_event_name="SessionStart", source="startup")
        return json.loads(said) if said else {}

    def has_rule(self, folder: Path, *words: str, **variables: str) -> bool:
        """Whether a call that a rule forbids is stopped in a folder."""
        before, self.variables = self.variables, self.variables | variables
        said = self.run(folder, "before", *words, **CALL)
        self.variables = before
        assert not said or json.loads(said)["hookSpecificOutput"]["permissionDecision"] == "deny"
        return bool(said)

    def ruled(self, folder: Path) -> Path:
        """A folder made a project that has a rule."""
        folder.mkdir(parents=True, exist_ok=True)
        place = make_place(folder, self.state_home, {"HOME": str(self.home)})
        write_notes(str(place.state), [STAGE])
        return folder
