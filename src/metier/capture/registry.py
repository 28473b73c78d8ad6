"""All sources by name: the built-in ones, and those of other packages. A source is loaded when it is needed."""

from __future__ import annotations

from dataclasses import is_dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, cast

from metier.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from metier.capture.source import Source

GROUP = "metier.sources"
"""The entry point group where another package registers a callable that returns a source."""

BUILT_IN = {
    "claude-code": "claude_code.source:ClaudeCode",
    "codex": "codex.source:Codex",
    "copilot": "others.copilot:Copilot",
    "specstory": "others.specstory:SpecStory",
    "otel": "traces.source:Otel",
    "openinference": "traces.source:OpenInference",
    "jsonl": "others.jsonl:Jsonl",
    "gemini-cli": "others.gemini_cli:GeminiCli",
    "openclaw": "others.openclaw:OpenClaw",
    "hermes": "others.hermes:Hermes",
    "picoclaw": "others.picoclaw:PicoClaw",
}
"""Each built-in source by name: the module below `metier.capture`, and the class. A new source is a line here."""

COPIES = ("specstory",)
"""Sources whose sessions the agent's own files have, too: each session counts once, as the agent's own file has it."""


def source_names() -> tuple[str, ...]:
    """The names of all sources, the built-in ones first."""
    from importlib.metadata import entry_points

    return tuple(dict.fromkeys((*BUILT_IN, *sorted(entry.name for entry in entry_points(group=GROUP)))))


def find_source(name: str) -> Source:
    """The source with this name; an InputError suggests the most similar name if there is none."""
    if name in BUILT_IN:
        module, _, factory = BUILT_IN[name].partition(":")
        return cast("Callable[[], Source]", getattr(import_module(f"metier.capture.{module}"), factory))()
    from importlib.metadata import entry_points

    for entry in entry_points(group=GROUP, name=name):
        try:
            return cast("Callable[[], Source]", entry.load())()
        except Exception as error:
            raise InputError(f"the source {name!r} of {entry.value} cannot be loaded: {error}") from error
    raise _unknown_source(name)


def including_headless(source: Source) -> Source:
    """The same source, which also reads what programs sent (`claude -p`, `codex exec`), if it tells them apart."""
    if is_dataclass(source) and not isinstance(source, type) and hasattr(source, "headless"):
        return replace(source, headless=True)
    return source


def program_test(source: Source) -> Callable[[bytes], bool] | None:
    """What tells from the first 64 KiB whether a program started a session; None: only reading all of it tells."""
    return getattr(source, "is_by_program", None)


def guess_source(path: str, head: bytes) -> str | None:
    """The name of the first built-in source that can read a file, or None."""
    return next((name for name in BUILT_IN if find_source(name).claims(path, head)), None)


def _unknown_source(name: str) -> InputError:
    from difflib import get_close_matches

    known = source_names()
    near = get_close_matches(name.lower().replace("_", "-"), known, n=1, cutoff=0.6)
    hint = f"did you mean {near[0]!r}?" if near else f"known sources: {', '.join(known)}"
    return InputError(f"there is no source {name!r}; {hint}")
