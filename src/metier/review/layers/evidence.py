"""What the runs behind a draft say, sorted by who said it."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, cast

from metier.formats.origins import is_shell
from metier.formats.strict_json import load_json
from metier.types.runs import session_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from metier.types import Origin, Run

FOREIGN: frozenset[Origin] = frozenset(("tool", "web", "file"))
"""Origins of text that anybody may have written."""
PEOPLE: frozenset[Origin] = frozenset(("person", "operator"))
"""Origins whose words may teach; besides them, what the agent did first teaches too."""


REMEMBERED = 400
"""Characters of a call's input whose command is remembered: the same is run again and again."""
_SHELL = re.compile(r"(?:/(?:usr/)?bin/)?(?:env )?(?:ba|z|da|k)?sh")
_FLAG = re.compile(r"-[a-z]{0,4}c")
_SHELL_WORDS = 2
"""Words before the command itself: the shell and its flag."""
_WRAPPED = re.compile(
    r"\s*(?:/(?:usr/)?bin/)?(?:env )?(?:ba|z|da|k)?sh(?: +-[a-z]+)*? +-[a-z]{0,4}c +(['\"])(.*)\1\s*", re.DOTALL
)
_DEEP = 4
"""Shells around a command that are taken off."""


class RunText(NamedTuple):
    """A piece of text of a run, with its origin."""

    origin: Origin
    text: str
    run: int
    """The number of the run in the evidence."""
    where: str
    """What a person would look for: `output of Bash`, `message`."""


def run_texts(runs: Sequence[Run]) -> Iterator[RunText]:
    """Every text of the evidence that says anything."""
    for number, run in enumerate(runs):
        for origin, text, where in _texts(run):
            if text:
                yield RunText(origin, text, number, where)


def _texts(run: Run) -> Iterator[tuple[Origin, str | None, str]]:
    """The texts of a run in their order, empty ones too; a call's error is as foreign as its output.

    Only a command that was run is an action. What any other tool was given is the agent's own text, which teaches
    nothing: through a note, a list or a query a page could pass its words off as something that was done.
    """
    for passage in run.context:
        yield passage.origin, passage.text, f"context ({passage.origin})"
    yield "person", run.message, "message"
    for call in run.tools:
        yield "model", call.said, "what the agent said"
        if is_shell(call.name):
            yield "action", commands(call.input), f"input of {call.name}"
        else:
            yield "model", call.input, f"input of {call.name}"
        foreign: Origin = call.origin if call.origin in FOREIGN else "tool"
        yield foreign, call.output, f"output of {call.name}"
        yield foreign, call.error, f"error of {call.name}"
    yield "model", run.output, "answer"
    yield "person", run.correction, "correction"


def said_by_people(runs: Sequence[Run]) -> list[str]:
    """What persons and operators wrote in the evidence."""
    found = [text for run in runs for text in (run.message, run.correction) if text]
    return found + [passage.text for run in runs for passage in run.context if passage.origin in PEOPLE]


def session_count(runs: Sequence[Run]) -> int:
    """How many different sessions the runs come from."""
    return len(set(session_names(runs)))


def commands(given: str) -> str:
    """The command line in a call's input, which is often JSON around it, without the shell that is asked to run it."""
    return _short_commands(given) if len(given) <= REMEMBERED else _commands(given)


def _commands(given: str) -> str:
    return _unwrapped(_command_line(given))


_short_commands = lru_cache(maxsize=4096)(_commands)


def _command_line(given: str) -> str:
    try:
        parsed = load_json(given)
    except ValueError:
        return given
    if not isinstance(parsed, dict):
        return given
    fields = cast("dict[str, object]", parsed)
    found = [fields[key] for key in ("command", "cmd", "script", "code", "args") if key in fields]
    return "\n".join(
        _joined(cast("list[object]", one)) if isinstance(one, list) else _unwrapped(str(one)) for one in found
    )


def texts_in(given: str) -> list[str]:
    """The texts among the arguments of a call."""
    try:
        parsed = load_json(given)
    except ValueError:
        return [given]
    values = cast("dict[str, object]", parsed).values() if isinstance(parsed, dict) else ()
    return [one for one in values if isinstance(one, str)]


def _joined(words: list[object]) -> str:
    """A command given word by word; what a shell gets after `-c` is the command itself."""
    said = [str(word) for word in words]
    if len(said) > _SHELL_WORDS and _SHELL.fullmatch(said[0]) and _FLAG.fullmatch(said[1]):
        return said[_SHELL_WORDS]
    return " ".join(said)


def _unwrapped(command: str) -> str:
    """What `bash -lc '…'` runs, as often as shells are put around each other."""
    for _ in range(_DEEP):
        found = _WRAPPED.fullmatch(command)
        if not found:
            break
        command = found[2].replace("'\\''", "'") if found[1] == "'" else found[2].replace('\\"', '"')
    return command
