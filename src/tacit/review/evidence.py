"""What the runs behind a draft say, sorted by who said it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tacit.types import Origin, Run, ToolCall

TEACHING: frozenset[Origin] = frozenset(("person", "operator", "action"))
"""Origins that may teach a skill."""
FOREIGN: frozenset[Origin] = frozenset(("tool", "web", "file"))
"""Origins of text that anybody may have written."""
PEOPLE: frozenset[Origin] = frozenset(("person", "operator"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A piece of text of a run, with its origin."""

    origin: Origin
    text: str
    run: int
    """The number of the run in the evidence."""
    where: str
    """What a person would look for: `output of Bash`, `message`."""


def spans(runs: Sequence[Run]) -> Iterator[Span]:
    """Every text of the evidence; a call's error is as foreign as its output."""
    for number, run in enumerate(runs):
        yield Span(origin="person", text=run.message, run=number, where="message")
        yield Span(origin="person", text=run.correction or "", run=number, where="correction")
        yield Span(origin="model", text=run.output, run=number, where="answer")
        for passage in run.context:
            yield Span(origin=passage.origin, text=passage.text, run=number, where=f"context ({passage.origin})")
        for call in run.tools:
            yield Span(origin="action", text=call.input, run=number, where=f"input of {call.name}")
            yield Span(origin="model", text=call.said, run=number, where="what the agent said")
            foreign: Origin = call.origin if call.origin in FOREIGN else "tool"
            yield Span(origin=foreign, text=call.output, run=number, where=f"output of {call.name}")
            yield Span(origin=foreign, text=call.error or "", run=number, where=f"error of {call.name}")


def sessions(runs: Sequence[Run]) -> int:
    """How many different sessions the runs come from; runs that name none count as one."""
    return len({run.session for run in runs})


def commands(call: ToolCall) -> str:
    """The command line in a call's input, which is often JSON around it."""
    try:
        parsed: object = json.loads(call.input)
    except ValueError:
        return call.input
    if not isinstance(parsed, dict):
        return call.input
    fields = cast("dict[str, object]", parsed)
    found = [fields[key] for key in ("command", "cmd", "script", "code", "args") if key in fields]
    return "\n".join(
        " ".join(map(str, cast("list[object]", one))) if isinstance(one, list) else str(one) for one in found
    )
