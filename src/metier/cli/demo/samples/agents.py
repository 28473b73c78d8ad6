"""Two scripted agents. One asks its hooks before each call and does what they say, one answers as its skill says."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING, cast

from metier.cli.demo.samples.transcripts import FOLDER, SampleTurn, two_weeks

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from metier.cli.demo.parts import Stage
    from metier.cli.demo.samples.transcripts import SampleSession
    from metier.types.trials import Case

MONTH = re.compile(r"sell in (\w+)")
FIGURES = re.compile(r"orders (\d+)\nrevenue (\d+)(\.\d+)")
RULE = re.compile(r"use (\w+), not (\w+)")
"""How the person said it, and the hook says it again."""
AROUND = ("METIER_", "XDG_", "CLAUDE", "COPILOT")
"""Variables of the person's settings, or of an agent that runs the demo."""
PATIENCE = 60
"""Seconds that a hook has."""


def ask_hook(stage: Stage, event: str, **payload: object) -> dict[str, str]:
    """What the real hook of Claude Code says to an event; empty: nothing."""
    command = [sys.executable, "-m", "metier.hooks", event, str(stage.ws.state.parent), "claude-code"]
    environ = {name: value for name, value in os.environ.items() if not name.startswith(AROUND)}
    done = subprocess.run(  # noqa: S603 - our own module
        command,
        input=json.dumps({"cwd": str(stage.ws.root), **payload}),
        env=environ | {**stage.environ, "PYTHONUTF8": "1"},
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=False,
    )
    return cast("dict[str, str]", json.loads(done.stdout)["hookSpecificOutput"]) if done.stdout.strip() else {}


def follow_hooks(stage: Stage, session: SampleSession) -> Iterator[SampleTurn]:
    """The turns of a session as they go with hooks: instead of a denied command it runs what the hook says."""
    for turn in session.turns:
        if turn.who != "Bash":
            yield turn
            continue
        call: Mapping[str, object] = {"tool_name": "Bash", "tool_input": {"command": turn.text}}
        said = ask_hook(stage, "before", hook_event_name="PreToolUse", session_id=session.id, **call)
        denial = said.get("permissionDecisionReason", "")
        if denial:
            yield SampleTurn("Bash", turn.text, [denial], ok=False)
        better = RULE.search(denial)
        yield SampleTurn("Bash", turn.text.replace(better[2], better[1], 1) if better else turn.text, turn.output)


def answer_sales(case: Case, skill: str) -> str:
    """What the shop sold in a month, as the person is used to it; in thousands, if the skill says so."""
    month, asked = MONTH.search(case.input), None
    for turn in (turn for session in two_weeks() if session.name.startswith("report-") for turn in session.turns):
        if turn.who == "person":
            asked = MONTH.search(turn.text)
        elif month and asked and asked[1] == month[1] and (found := FIGURES.search("\n".join(turn.output))):
            revenue = f"{round(int(found[2]), -3)}" if "thousand" in skill else f"{found[2]}{found[3]}"
            return f"In {month[1]} the shop sold for {revenue} euros, in {found[1]} orders."
    return f"I have no figures for that. They are in {FOLDER}."
