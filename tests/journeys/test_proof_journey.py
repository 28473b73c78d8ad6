"""The whole journey of proof through the command line: a lesson from sessions to its pause, a draft to its verdict."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import forked
from allowing import allow

from metier.hooks.agents import selection_id
from metier.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

ERROR = "error: either --session or --path must be provided"
FIGURES = "give me the quarterly figures of the department {}"
AGENT = """
def answer(case, text):
    wanted = case.scorer.split('"texts":["')[1].split('"')[0]
    return wanted if "tools/ledger.py" in text else "no idea"
"""


def said(folder: Path, *words: str, code: int = 0) -> str:
    done = forked.metier(*words, cwd=folder)
    assert done.returncode == code, done.stderr
    return done.stdout + done.stderr


def data(folder: Path, *words: str) -> Any:
    done = forked.metier(*words, "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def later(minutes: int) -> str:
    return (datetime.now(UTC) + timedelta(minutes=minutes)).isoformat().replace("+00:00", "Z")


def recorded(folder: Path, *runs: dict[str, object]) -> None:
    lines = "".join(json.dumps(run) + "\n" for run in runs)
    assert forked.metier("record", cwd=folder, given=lines).returncode == 0


def pull_request(name: str, *, wrong: bool, minutes: int = 0) -> dict[str, object]:
    """A session that opens a pull request, in the wrong way first or in the right one at once."""
    bad = {"name": "Bash", "ok": False, "input": "tool pr", "output": ERROR}
    good = {"name": "Bash", "input": "tool pr --path .", "output": "ok"}
    return {
        "id": name,
        "session": name,
        "agent": "claude-code",
        "message": f"open the pull request {name}",
        "output": "It is open.",
        "status": "completed",
        "started": later(minutes),
        "tools": [bad if wrong else good, good],
    }


def figures(name: str, *, success: bool = True, turn: str = "") -> dict[str, object]:
    """A session that is asked for figures and finds them in three steps."""
    figure = f"{int.from_bytes(name.encode()) % 89_999 + 10_000}.50"
    steps = {"tools/open_ledger.py --quarter": "open", "tools/ledger.py --sum": f"sum {figure}"}
    run: dict[str, object] = {
        "id": name,
        "session": name,
        "agent": "claude-code",
        "model": "opus",
        "message": FIGURES.format(name),
        "output": f"The figure is {figure} for this quarter.",
        "status": "completed",
        "tools": [
            {"name": "Bash", "input": f"python {step}", "output": output}
            for step, output in (steps | {"tools/check_sum.py --strict": "ok"}).items()
        ],
        "outcome": {"success": success, "by": "test"},
    }
    return run | ({"selection": selection_id(turn)} if turn else {})


def hooked(folder: Path, event: str, **payload: object) -> str:
    """What an agent reads from a hook."""
    command = [sys.executable, "-m", "metier.hooks", event, "claude-code"]
    given = json.dumps({"cwd": str(folder), **payload})
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=True, timeout=60)
    return done.stdout


def follow_a_lesson(folder: Path) -> None:
    """Sessions in, lesson, approved, given, obeyed, came back, paused; its story tells it."""
    recorded(folder, *(pull_request(f"first{number}", wrong=True) for number in range(3)))
    said(folder, "learn")
    (lesson,) = [one for one in data(folder, "lessons", "list") if one["kind"] == "fix"]
    said(folder, "lessons", "approve", lesson["id"], "--remind")
    call = {"tool_name": "Bash", "tool_input": {"command": "tool pr"}, "hook_event_name": "PreToolUse"}
    for number in range(3):
        assert "--path" in hooked(folder, "before", session_id=f"again{number}", **call)
    recorded(folder, *(pull_request(f"good{number}", wrong=False, minutes=5) for number in range(4)))
    said(folder, "learn")
    story = data(folder, "lessons", "why", lesson["id"])
    assert story["checked"]["change"]["points"] < 0
    assert story["checked"]["change"]["meaning"] == "before and after, not causal"
    assert (story["told"]["sessions"], story["came_back"]["runs"]) == (3, [])
    recorded(folder, pull_request("again0", wrong=True, minutes=10))
    said(folder, "learn")
    (returned,) = data(folder, "lessons", "why", lesson["id"])["came_back"]["runs"]
    assert (returned["session"], returned["told"]) == ("again0", True)
    recorded(folder, *(pull_request(f"again{number}", wrong=True, minutes=15) for number in (1, 2)))
    told = said(folder, "learn")
    assert f"Paused lesson {lesson['id'][:8]}" in told
    story = data(folder, "lessons", "why", lesson["id"])
    assert story["status"] == "paused"
    assert [one["action"] for one in story["decisions"]] == ["approve lesson (remind)", "pause lesson"]
    told = said(folder, "lessons", "why", lesson["id"])
    for part in (
        ERROR,
        "in 3 sessions",
        "before and after, not causal",
        "although the agent was told",
        "when you approved it",
        "It is paused.",
    ):
        assert part in told, told


def follow_a_skill(folder: Path) -> None:
    """Sessions in, draft, cases, replay gate, trial, verdict; its story tells it."""
    (folder / "figure_agent.py").write_text(AGENT, encoding="utf-8")
    said(folder, "config", "set", "mode", "draft")
    recorded(folder, *(figures(f"dep{number}") for number in range(6)))
    said(folder, "learn")
    (draft,) = data(folder, "drafts", "list")
    recorded(folder, *(figures(f"more{number}", success=number % 2 == 0) for number in range(20)))
    replay = ("cases", "replay", draft["id"], "--target", "python=figure_agent:answer")
    assert "uninformative" in said(folder, *replay, code=1), "nothing is reviewed yet"
    said(folder, "cases", "build")
    assert "uninformative" in said(folder, *replay, code=1), "what nobody accepted is not tried"
    said(folder, "cases", "accept", "--all")
    assert "metier models allow python" in said(folder, *replay, code=1), "cases hold text of sessions"
    with Workspace.open(folder) as ws:
        allow(ws, "python")
    shipped = said(folder, *replay, "--apply")
    assert "accept: replay on python=figure_agent:answer" in shipped
    assert "Left out 6 cases whose runs taught the draft." in shipped
    skill = draft["target"]
    assert f"Shipped as version 1. Undo: metier skills archive {skill}" in shipped
    assert "a replay measured that it helps" in said(folder, "skills", "why", skill)
    (version,) = data(folder, "skills", "history", skill)
    assert (version["actor"], len(version["runs"])) == ("metier", 6), "its gate let it ship"
    started = data(folder, "trial", "start", skill, "--gain", "30")
    assert started["trial"]["agents"] == ["claude-code"]
    given = {
        name: hooked(folder, "prompt", session_id=name, prompt=FIGURES.format(name), prompt_id=name)
        for name in (f"try{number}" for number in range(24))
    }
    recorded(folder, *(figures(name, success="ledger.py" in text, turn=name) for name, text in given.items()))
    state = data(folder, "trial", "status", skill)
    assert state["status"] == "helps", state
    assert state["with"]["runs"] + state["without"]["runs"] == 24
    story = data(folder, "skills", "why", skill)
    assert (len(story["runs"]), len(story["trials"]), story["versions"][0]["status"]) == (6, 1, "active")
    assert {one["model"]: one["standing"] for one in story["receipts"]} == {
        "opus": "proven",
        "python=figure_agent:answer": "proven",
    }
    told = said(folder, "skills", "why", skill)
    with_it = sum("ledger.py" in text for text in given.values())
    for part in (
        "learned from 6 runs: ",
        "from 6 runs that succeeded); written without a model; passed: ",
        "passed: replay on python=figure_agent:answer: +100.0 points",
        f"helps: {with_it} of {with_it} runs succeeded with it, 0 of {24 - with_it} without",
        f"given {with_it} times: {with_it} of these runs succeeded",
        "opus: proven (trial: ",
        "tokens each time it is given",
    ):
        assert part in told, told


def test_the_whole_journey_from_sessions_to_what_is_proven(tmp_path: Path) -> None:
    folder = tmp_path / "shop"
    folder.mkdir()
    follow_a_lesson(folder)
    follow_a_skill(folder)
