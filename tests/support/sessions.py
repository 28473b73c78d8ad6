"""Small sessions for the tests of lessons: what was run, how it went, what the person said."""

from __future__ import annotations

from metier.types import Record, Run, ToolCall


def ran(command: str, output: str = "ok") -> ToolCall:
    """A command that went well."""
    return ToolCall(name="Bash", input=command, output=output)


def failed(command: str, output: str) -> ToolCall:
    """A command that did not."""
    return ToolCall(name="Bash", input=command, output=output, ok=False)


def edited(path: str) -> ToolCall:
    """A file that was changed."""
    return ToolCall(name="Edit", input=f'{{"file_path": "{path}", "new_string": "x"}}', output="done")


def said(message: str, *calls: ToolCall, session: str = "s", answer: str = "Done.") -> Run:
    """A message and what the agent did about it."""
    return Run(
        message=message, output=answer, status="completed", session=session, tools=calls, started="2026-01-05T12:00:00Z"
    )


def records(*runs: Run) -> list[Record]:
    """Runs as the store gives them."""
    return [
        Record(
            id=f"{number:024x}",
            run=run,
            sequence=number,
            workspace="w",
            revision=1,
            summary=run.message,
            success=True,
            used=(),
            state="new",
            recorded="2026-01-05T12:00:00Z",
        )
        for number, run in enumerate(runs, start=1)
    ]
