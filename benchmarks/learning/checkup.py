"""CPU time of `metier checkup` over the sessions of a machine, against half a minute.

    python benchmarks/learning/checkup.py [--sessions 200] [--data FOLDER] [--show]

The sessions are written the way Claude Code writes them, from the projects in `../shared/data/lessons` where they are
(each call with its output twice, as real transcripts have it), else made up. `--show` prints what a person would see.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from itertools import count, cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from lessons import DATA, session_runs

from metier.formats.run_json import parse_run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from metier.types import Run, ToolCall

PROJECTS = ("spotter", "bookminder", "minsky", "specstory")
LIMIT = 30.0
"""Seconds of CPU on one core."""
PAGE = "# How we work\n\n- Stage files by name, never `git add .`\n- Use `rg` instead of `grep`.\n- Tests first.\n"
START = datetime(2026, 2, 1, tzinfo=UTC)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sessions", type=int, default=200)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--show", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        home, project = Path(place) / "home", Path(place) / "shop"
        project.mkdir()
        (project / "CLAUDE.md").write_text(PAGE, encoding="utf-8")
        size = write_sessions(home, project, given.data, given.sessions)
        began = os.times()
        done = subprocess.run(
            [sys.executable, "-m", "metier", "checkup"],
            cwd=project,
            env={"HOME": str(home), "PATH": os.environ["PATH"]},
            capture_output=True,
            text=True,
            check=True,
            timeout=600,
        )
        ended = os.times()
    spent = ended.children_user + ended.children_system - began.children_user - began.children_system
    print(f"{given.sessions} sessions, {size / 1e6:.0f} MB: {spent:.1f} s CPU (limit {LIMIT:g})")
    print(done.stdout if given.show else done.stdout.splitlines()[0])
    return 0 if spent <= LIMIT and "left out" not in done.stdout else 1


def write_sessions(home: Path, project: Path, data: Path, wanted: int) -> int:
    """Transcripts in a home folder; how many bytes they have."""
    folder = home / ".claude/projects" / str(project).replace("/", "-")
    folder.mkdir(parents=True)
    size = 0
    for number, runs in enumerate(islice(cycle(sessions_of(data)), wanted)):
        file = folder / f"session-{number:04}.jsonl"
        size += file.write_bytes(b"".join(transcript(runs, f"s-{number}", str(project))))
        moment = time.time() - (wanted - number) * 3_600
        os.utime(file, (moment, moment))
    return size


def sessions_of(data: Path) -> list[list[Run]]:
    """Whole sessions of real projects, or made-up ones."""
    groups: dict[str, list[Run]] = {}
    for project in PROJECTS:
        file = data / project / "runs.jsonl.gz"
        if file.is_file():
            with gzip.open(file, "rt", encoding="utf-8") as lines:
                for run in map(parse_run, map(json.loads, lines)):
                    groups.setdefault(f"{project} {run.session}", []).append(run)
    if groups:
        return list(groups.values())
    made = session_runs(2_000)
    return [made[at : at + 10] for at in range(0, len(made), 10)]


def transcript(runs: list[Run], session: str, folder: str) -> Iterator[bytes]:
    """A session as Claude Code writes it: a chain of records, a call and its result apart."""
    numbers = count(1)
    parent: str | None = None
    for run in runs:
        for record in records_of(run, session, numbers):
            number = next(numbers)
            uuid = f"{session}-{number}"
            common: dict[str, Any] = {
                "parentUuid": parent,
                "isSidechain": False,
                "userType": "external",
                "cwd": folder,
                "sessionId": session,
                "version": "2.1.39",
                "uuid": uuid,
                "timestamp": (START + timedelta(seconds=number)).isoformat(),
            }
            parent = uuid
            yield json.dumps(common | record, ensure_ascii=False).encode() + b"\n"


def records_of(run: Run, session: str, numbers: Iterator[int]) -> Iterator[dict[str, Any]]:
    """What a message, its calls and the answer leave behind."""
    yield {"type": "user", "message": {"role": "user", "content": run.message}}
    for call in run.tools:
        name = f"toolu_{session}_{next(numbers)}"
        yield said({"type": "tool_use", "id": name, "name": call.name, "input": given_to(call)})
        result: dict[str, Any] = {"type": "tool_result", "tool_use_id": name, "content": shown(call)}
        if not call.ok:
            result["is_error"] = True
        yield {
            "type": "user",
            "message": {"role": "user", "content": [result]},
            "toolUseResult": {"stdout": shown(call), "stderr": "", "interrupted": False},
        }
    yield said({"type": "text", "text": run.output or "Done."})


def said(block: dict[str, Any]) -> dict[str, Any]:
    """A record of the agent."""
    usage = {"input_tokens": 3, "output_tokens": 20, "cache_read_input_tokens": 9_000}
    message = {"role": "assistant", "model": "claude-opus-4-6", "content": [block], "usage": usage, "stop_reason": None}
    return {"type": "assistant", "message": message}


def given_to(call: ToolCall) -> dict[str, Any]:
    """A call's input as an object."""
    try:
        found: Any = json.loads(call.input)
    except ValueError:
        found = None
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {"command": call.input}


def shown(call: ToolCall) -> str:
    """A call's output; made-up ones are as long as real ones."""
    text = call.error or call.output
    return text if len(text) > 200 else f"{text}\n" + "ok: everything as expected\n" * 60


if __name__ == "__main__":
    sys.exit(main())
