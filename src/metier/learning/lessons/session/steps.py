"""What a session did, call by call, as far as lessons look at it: command lines, edits, and what went wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from metier.learning.lessons.session.commands import main_parts, parts_of
from metier.learning.lessons.session.errors import error_line, was_persons_doing
from metier.learning.procedures.actions import edited_paths, shell_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from metier.learning.lessons.session.commands import Part
    from metier.types import Record, ToolCall

LONGEST = 1_000
"""Characters of a command line that can teach."""
_FILTERS = frozenset(("tail", "head", "cat", "grep", "tee", "less", "sed", "awk", "rg"))


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionStep:
    """One call."""

    kind: Literal["command", "edit", "message"]
    run: str
    moment: str
    line: str = ""
    """The command line, the path that was edited, or what the person said."""
    parts: tuple[Part, ...] = ()
    """What of the line does something."""
    programs: tuple[Part, ...] = ()
    """All of the line's commands, also those that only look."""
    ok: bool = True
    error: str = ""
    """The line of the output that says what went wrong; empty: nothing did, or nobody knows."""
    output: str = ""


def steps_of(session: Sequence[Record]) -> list[SessionStep]:
    """The steps of a session's runs, in order; calls that a person stopped are left out."""
    return [step for record in session for step in _of_run(record)]


def _of_run(record: Record) -> Iterator[SessionStep]:
    moment = record.run.started or ""
    yield SessionStep(kind="message", run=record.id, moment=moment, line=record.run.message)
    for call in record.run.tools:
        if (line := shell_line(call)) is not None:
            if step := _command(record.id, moment, line, call):
                yield step
        else:
            for path in edited_paths(call):
                yield SessionStep(
                    kind="edit", run=record.id, moment=moment, line=path, ok=call.ok and call.error is None
                )


def _command(run: str, moment: str, line: str, call: ToolCall) -> SessionStep | None:
    text = call.error or call.output
    ok = call.ok and call.error is None
    if (len(line) > LONGEST and "<<" not in line[:LONGEST]) or (not ok and was_persons_doing(text)):
        return None
    error = _hidden_error(line, text) if ok else error_line(text)
    return SessionStep(
        kind="command",
        run=run,
        moment=moment,
        line=line,
        parts=tuple(main_parts(line)),
        programs=parts_of(line),
        ok=ok and not error,
        error=error,
        output=text,
    )


def _hidden_error(line: str, text: str) -> str:
    """The error of a command whose exit code says that it went well; empty if it is not sure."""
    error = error_line(text) if _hides_failure(line) else ""
    return error if _is_sure(error) else ""


def _hides_failure(line: str) -> bool:
    """Whether the exit code of a line is that of a filter behind a pipe, or of `|| true`."""
    last = parts_of(line)[-1:]
    return (
        bool(last)
        and (last[0].joint == "|" or last[0].words[0] in ("true", "echo"))
        and (last[0].words[0] in _FILTERS or last[0].joint == "||")
    )


def _is_sure(line: str) -> bool:
    return line.startswith(("fatal:", "error:", "Error:", "ERROR:")) or "command not found" in line
