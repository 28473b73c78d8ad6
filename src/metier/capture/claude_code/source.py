"""The source `claude-code`: a tree of messages, one JSON record per line; sub-agents have their own files."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, BinaryIO

from metier.capture.claude_code.records import program_of
from metier.capture.claude_code.session import SessionReader
from metier.capture.reading.lines import check_start
from metier.capture.source import Found, Rewound, Session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

_ENTRYPOINT = re.compile(rb'"entrypoint"\s*:\s*"([^"\\]{1,100})"')
_SESSION = re.compile(rb'"sessionId"\s*:\s*"([^"]{1,100})"')


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaudeCode:
    """Sessions under `~/.claude/projects`, with their sub-agents."""

    name: str = "claude-code"
    title: str = "Claude Code"
    proven: bool = True
    headless: bool = False
    """Whether requests from programs (`claude -p`, the SDKs) are imported, too."""

    def places(self, env: Mapping[str, str], home: str) -> tuple[str, ...]:
        """Where Claude Code stores its sessions."""
        return (f"{env.get('CLAUDE_CONFIG_DIR') or f'{home}/.claude'}/projects/**/*.jsonl",)

    def claims(self, path: str, head: bytes) -> bool:
        """Whether the first lines look like a transcript."""
        if not path.endswith((".jsonl", ".jsonl.zst")):
            return False
        marks = (b'"parentUuid"', b'"isSidechain"', b'"file-history-snapshot"', b'"queue-operation"', b'"leafUuid"')
        return any(mark in head for mark in marks) and b'"payload"' not in head[:300]

    def is_by_program(self, head: bytes) -> bool:
        """Whether a program sent the first request; its record says so near the beginning."""
        found = _ENTRYPOINT.search(head)
        return found is not None and bool(program_of({"entrypoint": found[1].decode("utf-8", "replace")}))

    def sessions(self, paths: Sequence[str], head: Callable[[str], bytes]) -> Iterator[Session]:
        """One session per main file, with the files of its sub-agents; a sub-agent without its session is a session."""
        known = {path for path in paths if path.endswith((".jsonl", ".jsonl.zst"))}
        aside: dict[str, list[str]] = {}
        for path in sorted(known):
            if PurePath(path).name.startswith("agent-"):
                main = _main_of(path, head)
                aside.setdefault(main if main in known else path, []).append(path)
        for path in sorted(known - {agent for agents in aside.values() for agent in agents} | set(aside)):
            yield Session(main=path, others=tuple(agent for agent in aside.get(path, ()) if agent != path))

    def parse(self, files: Mapping[str, BinaryIO], start: int = 0) -> Iterator[Found]:
        """The runs of the live branch, each with its sub-agents' tools and tokens."""
        main = next(iter(files))
        rewound = check_start(main, files[main], start)
        if rewound is not None:
            yield rewound
            return
        reading = SessionReader(headless=self.headless, files=files, main=main, start=start)
        yield from reading.index()
        reading.branch.resolve_parents()
        live = reading.branch.live_branch()
        if live is None:
            yield Rewound(file=main, reason="the conversation went back to before the last known request")
            return
        yield from reading.runs(live)


def _main_of(path: str, head: Callable[[str], bytes]) -> str:
    """The main file of a sub-agent's file: by its folder, or by the session id in it (older versions)."""
    parts = PurePath(path).parts
    if "subagents" in parts:
        return str(PurePath(*parts[: parts.index("subagents")])) + ".jsonl"
    named = _SESSION.search(head(path))
    return str(PurePath(path).parent / f"{named.group(1).decode('utf-8', 'replace')}.jsonl") if named else path
