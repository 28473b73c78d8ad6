"""Turn a plain conversation into runs, for sources that store one message after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.capture.reading.corrections import is_correction, is_own_prompt
from metier.capture.reading.fields import compact, elements, is_list, mapping, text
from metier.capture.reading.run_builder import RunBuilder
from metier.capture.source import Captured

if TYPE_CHECKING:
    from collections.abc import Iterator


class Dialogue:
    """Takes the messages in order and yields a run when the next request begins."""

    def __init__(self, *, source: str, session: str, file: str) -> None:
        self._source, self._session, self._file = source, session, file
        self._offset = 0
        self.run: RunBuilder | None = None
        self.count = 0

    def add_request(self, message: str, *, name: str, moment: str | None, offset: int = 0) -> Iterator[Captured]:
        """Begin a run with a person's request, and yield the run before it."""
        yield from self.end_run(message)
        self._offset = offset
        if not is_own_prompt(message):
            self.run = RunBuilder(
                source=self._source, session=self._session, message=message, external_id=name, started=moment
            )

    def end_run(self, following: str = "") -> Iterator[Captured]:
        """Yield the current run, if there is one; `following` is the next request, which may correct it."""
        run, self.run = self.run, None
        if run is None:
            return
        if run.status is None and run.ends_with_answer:
            run.status = "completed"
        if following and is_correction(following):
            run.corrections.append(following[:4000])
        self.count += 1
        yield Captured(run=run.build(), file=self._file, offset=self._offset)

    def add_answer(self, said: str, calls: object = None) -> None:
        """Add text of the agent and its tool calls (`tool_calls` in any common shape)."""
        if self.run is None:
            return
        self.run.add_answer(said)
        for call in elements(calls):
            asked = mapping(call, "function") or mapping(call)
            given = asked.get("arguments", asked.get("args", asked.get("input")))
            name = text(asked, "name") or text(call, "name")
            self.run.add_call(text(call, "id") or text(call, "toolCallId"), name, compact(given))

    def add_result(self, call: str, said: str, *, failed: bool = False, name: str = "") -> None:
        """Add the output of a tool."""
        if self.run is None:
            return
        if not self.run.has_call(call):
            self.run.add_call(call, name, "")
        self.run.add_result(call, said, error=said if failed else None)


def text_of_blocks(content: object) -> str:
    """The text of content blocks in any common shape."""
    if isinstance(content, str):
        return compact(content)
    if not is_list(content):
        return text(content, "text")
    parts = (compact(part) if isinstance(part, str) else text(part, "text") for part in elements(content))
    return "\n".join(part for part in parts if part)
