"""The first scene: sessions that an agent wrote become runs, each once, without their secrets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.capture import registry
from metier.capture.find_sessions import find_named_sessions
from metier.capture.import_sessions import import_sessions
from metier.cli.demo.parts import BAD, QUIET, Scene, line
from metier.cli.demo.samples.transcripts import two_weeks, write_transcripts
from metier.redaction import MARK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.capture.report import FileReport
    from metier.cli.demo.parts import Stage
    from metier.cli.demo.samples.transcripts import SampleSession
    from metier.types import Record

FOLDER = "sessions"
"""Where the transcripts are, in the demo's folder."""


def capture_scene(stage: Stage) -> Scene:
    """Import the sessions, and import them again."""
    ws, sessions = stage.ws, two_weeks()
    first, again = import_all(stage, sessions), import_all(stage, sessions)
    records = ws.runs(limit=1_000)
    calls = [call for one in records for call in one.run.tools]
    mistakes = sum(not call.ok for call in calls)
    said = sum(one.run.correction is not None for one in records)
    before, mark, after = _leak(records)
    facts: dict[str, object] = {
        "sessions": len(sessions),
        "runs": sum(one.new for one in first),
        "again": sum(one.new for one in again),
        "calls": len(calls),
        "failed_calls": mistakes,
        "corrected": said,
        "redacted": sum(len(MARK.findall(call.input)) for call in calls),
    }
    return Scene(
        title="Two weeks are captured",
        lines=(
            line(
                f"{len(sessions)} sessions of Claude Code are {facts['runs']} runs: {len(calls)} tool calls, "
                f"{mistakes} failed, {said} runs corrected."
            ),
            line(f"Read once more: {facts['again']} new. A token in a command never reached Metier's store:"),
            line(("$ ", QUIET), before, (mark, BAD), after),
        ),
        facts=facts,
    )


def import_all(stage: Stage, sessions: Sequence[SampleSession]) -> list[FileReport]:
    """Write the transcripts of sessions, and import them as `metier import claude-code` does."""
    ws = stage.ws
    source = registry.find_source("claude-code")
    files = write_transcripts(sessions, ws.root / FOLDER, stage.later)
    reports: list[FileReport] = []
    for _ in import_sessions(ws.context, source, find_named_sessions(source, files).sessions, reports):
        pass
    return reports


def _leak(records: Sequence[Record]) -> tuple[str, str, str]:
    """The command that held a secret, as it is stored: before its mark, the mark without its digits, after it."""
    from metier.learning.procedures.actions import shell_line

    commands = (shell_line(call) or "" for one in records for call in one.run.tools)
    text, found = next((text, found) for text in commands if (found := MARK.search(text)))
    return text[: found.start()], f"{found[0].rpartition(':')[0]}]", text[found.end() :]
