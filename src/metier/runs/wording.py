"""Runs in plain words, the same in the terminal and in the browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from metier.formats.strict_json import load_json

if TYPE_CHECKING:
    from metier.types import Record, Verdict

TELLING = ("command", "cmd", "file_path", "path", "pattern", "query", "url", "skill", "prompt", "description")
"""Arguments that say by themselves what a tool was asked to do, the most telling first."""


def who_says(record: Record, verdict: Verdict | None) -> tuple[str, str]:
    """Whose word the success is, and the reason, in the order of trust."""
    outcome = record.run.outcome
    if verdict is not None and verdict.success not in (None, record.success):
        return (
            f"by the agent's word; judged as {'good' if verdict.success else 'failed'} by {verdict.judge}",
            verdict.reason,
        )
    if verdict is not None:
        return f"judged by {verdict.judge}", verdict.reason
    if outcome is not None:
        return f"reported by {outcome.by}", outcome.reason
    if record.run.correction:
        return "the person corrected it", ""
    return f"status {record.run.status or 'not given'}", ""


def action_line(text: str) -> str:
    """What was asked of a tool, in a line: its telling argument, else all of them."""
    try:
        found = load_json(text) if text.startswith("{") else None
    except ValueError:
        found = None
    if isinstance(found, dict):
        given = cast("dict[str, object]", found)
        telling = next((given[key] for key in TELLING if isinstance(given.get(key), str)), None)
        return str(telling) if telling else text
    return text
