"""CPU time of what agents wait for with many lessons in use: the launcher, and the hook that tells.

python benchmarks/agents/told_lessons.py [--lessons 200]

Half of the lessons hold in this project and half in all projects of the person; each event has its share. Where no
lesson fits, only the launcher runs; where one does, Python starts as well. The peer is `sh` that does nothing, the
limits are in `LIMITS`.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

from startup import cpu_ms

sys.path.insert(0, str(Path(__file__).parents[2] / "tests/support"))

from launcher import Launcher

from metier.hooks.notes import Note, write_notes
from metier.hooks.places import user_folder
from metier.workspace import Workspace

LIMITS = {"launcher": 5.0, "hook": 80.0}
"""Milliseconds of CPU where there is nothing to say, and where there is."""


def lessons(count: int, workspace: str) -> list[Note]:
    """Lessons of all kinds, none of which is about `git status`."""
    found: list[Note] = []
    for number in range(count):
        text = f"Rule {number}: stage files by name and run the tests of module {number} before a commit."
        check = {"program": [f"tool{number}", "deploy"], "wrong": ["--all"], "needs": [], "path": "", "instead": ""}
        found.append(
            (
                Note("start", text, id=f"s{number}", workspace=workspace),
                Note("prompt", text, f"module{number} schema", id=f"p{number}", workspace=workspace),
                Note("before", text, id=f"b{number}", check=check, denies=True, workspace=workspace),
                Note("after", text, f"cannot find module {number} here", id=f"a{number}", workspace=workspace),
            )[number % 4]
        )
    return found


def events(folder: Path, number: int) -> dict[str, tuple[str, str, dict[str, object]]]:
    """What agents hand over: the launcher's word, whether Python has to start, and the object."""
    call: dict[str, object] = {
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "cwd": str(folder),
        "session_id": "s",
    }
    prompt: dict[str, object] = {"hook_event_name": "UserPromptSubmit", "cwd": str(folder), "session_id": "s"}
    return {
        "before a tool, none fits": ("before", "launcher", call | {"tool_input": {"command": "git status"}}),
        "before a tool of 100 KB, none fits": ("before", "launcher", call | {"tool_input": {"content": "x " * 50_000}}),
        "after a tool, none fits": ("after", "launcher", call | {"tool_response": "ok\n" * 100}),
        "before a tool, denied": ("before", "hook", call | {"tool_input": {"command": f"tool{number} deploy --all"}}),
        "a session's start": ("start", "hook", prompt | {"hook_event_name": "SessionStart", "source": "startup"}),
        "a request": ("prompt", "hook", prompt | {"prompt": "change the schema of module1 and module5"}),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lessons", type=int, default=200)
    count = parser.parse_args().lessons
    ok = True
    with tempfile.TemporaryDirectory() as place:
        os.environ["HOME"] = place
        for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "METIER_HOME"):
            os.environ.pop(name, None)
        launcher = Launcher(Path(place))
        folder = Path(place) / "project"
        folder.mkdir()
        with Workspace.open(folder) as ws:
            write_notes(str(ws.state), lessons(count // 2, ws.name))
            write_notes(user_folder(str(ws.state)), lessons(count - count // 2, "another"))
        bare = cpu_ms(["sh", "-c", "exit 0"])
        for name, (word, kind, payload) in events(folder, 2).items():
            spent = cpu_ms(launcher.command(word), json.dumps(payload), str(folder))
            ok &= spent <= LIMITS[kind]
            print(f"{count} lessons, {name}: {spent:.1f} ms CPU (limit {LIMITS[kind]:g}; sh alone {bare:.1f})")
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
