"""Other programs' session files become runs: each source reads the files of one agent.

Begin with `source.py` (what a source is), then `registry.py` (all sources by name) and `import_sessions.py` (what
`metier import` does). This folder imports `runs`, `context` and the foundation. The names below are for people who
write a source; they are loaded when they are first used.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from metier.capture.claude_code.source import ClaudeCode
    from metier.capture.codex.source import Codex
    from metier.capture.reading import fields
    from metier.capture.reading.dialogue import Dialogue, text_of_blocks
    from metier.capture.reading.lines import FileLine, check_start, read_lines, read_records
    from metier.capture.reading.run_builder import RunBuilder
    from metier.capture.registry import find_source, source_names
    from metier.capture.source import Captured, Found, Rewound, Session, Skipped, Source
    from metier.types import Tokens

__all__ = [
    "Captured",
    "ClaudeCode",
    "Codex",
    "Dialogue",
    "FileLine",
    "Found",
    "Rewound",
    "RunBuilder",
    "Session",
    "Skipped",
    "Source",
    "Tokens",
    "check_start",
    "fields",
    "find_source",
    "read_lines",
    "read_records",
    "source_names",
    "text_of_blocks",
]

_MODULES = {
    "ClaudeCode": "claude_code.source",
    "Codex": "codex.source",
    "Dialogue": "reading.dialogue",
    "FileLine": "reading.lines",
    "RunBuilder": "reading.run_builder",
    "check_start": "reading.lines",
    "find_source": "registry",
    "read_lines": "reading.lines",
    "read_records": "reading.lines",
    "source_names": "registry",
    "text_of_blocks": "reading.dialogue",
}
"""The module of each public name; `source` where a name is not listed."""


def __getattr__(name: str) -> object:
    """Load a public name from its module."""
    if name not in __all__:
        raise AttributeError(f"module 'metier.capture' has no attribute '{name}'")
    from importlib import import_module

    if name == "Tokens":
        return import_module("metier.types").Tokens
    if name == "fields":
        return import_module("metier.capture.reading.fields")
    return getattr(import_module(f"metier.capture.{_MODULES.get(name, 'source')}"), name)


def __dir__() -> list[str]:
    """The public names."""
    return list(__all__)
