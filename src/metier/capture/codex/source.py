"""The source `codex`: rollout files of both history modes, compressed or not."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, BinaryIO

from metier.capture.codex.rollout import RolloutReader
from metier.capture.codex.turns import find_turns
from metier.capture.reading.fields import flag, mapping, text
from metier.capture.reading.lines import check_start, parse_line
from metier.capture.source import HEADLESS, Found, Rewound, Session, Skipped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from metier.capture.reading.fields import Map

BY_PROGRAM = "started by a program"
_ZSTD = b"\x28\xb5\x2f\xfd"


@dataclass(frozen=True, slots=True, kw_only=True)
class Codex:
    """Sessions under `~/.codex/sessions`, with their sub-agents."""

    name: str = "codex"
    title: str = "Codex"
    proven: bool = True
    headless: bool = False
    """Whether sessions that programs started (`codex exec`, MCP, the SDKs) are imported, too."""

    def places(self, env: Mapping[str, str], home: str) -> tuple[str, ...]:
        """Where Codex stores its rollouts, including archived ones."""
        root = env.get("CODEX_HOME") or f"{home}/.codex"
        folders = (f"{root}/sessions/**", f"{root}/archived_sessions/**")
        return tuple(f"{folder}/rollout-*{end}" for folder in folders for end in (".jsonl", ".jsonl.zst"))

    def claims(self, path: str, head: bytes) -> bool:
        """Whether the first lines look like a rollout; a compressed file is recognised by its name."""
        name = PurePath(path).name
        if head.startswith(_ZSTD):
            return name.startswith("rollout-")
        first = head[:2000]
        return path.endswith(".jsonl") and (
            (
                b'"payload"' in first
                and (b'"session_meta"' in head or b'"event_msg"' in head or b'"response_item"' in head)
            )
            or (name.startswith("rollout-") and b'"timestamp"' in first)
        )

    def is_by_program(self, head: bytes) -> bool:
        """Whether a program started the session; its first line says so."""
        return reason_to_skip(_meta_of(head)).startswith(BY_PROGRAM)

    def sessions(self, paths: Sequence[str], head: Callable[[str], bytes]) -> Iterator[Session]:
        """One session per rollout, with the rollouts of its sub-agents."""
        known = sorted({path for path in paths if path.endswith((".jsonl", ".jsonl.zst"))})
        metas = {path: _meta_of(head(path)) for path in known}
        by_thread = {text(meta, "id"): path for path, meta in metas.items() if text(meta, "id")}
        aside: dict[str, list[str]] = {}
        for path, meta in metas.items():
            main = _main_rollout_of(path, metas, by_thread)
            if main != path and is_subagent(meta):
                aside.setdefault(main, []).append(path)
        folded = {path for group in aside.values() for path in group}
        for path in known:
            if path not in folded:
                yield Session(main=path, others=tuple(aside.get(path, ())))

    def parse(self, files: Mapping[str, BinaryIO], start: int = 0) -> Iterator[Found]:
        """The runs of one rollout, without those that were rolled back."""
        main = next(iter(files))
        rewound = check_start(main, files[main], start)
        if rewound is not None:
            yield rewound
            return
        turns = find_turns(main, files[main], start)
        if turns is None:
            yield Rewound(file=main, reason="turns from before the last known request were rolled back")
            return
        rollout = RolloutReader(files=files, main=main, start=start, turns=turns)
        rollout.read_earlier_state()
        reason = "" if self.headless else reason_to_skip(rollout.meta)
        if reason:
            setting = HEADLESS if reason.startswith(BY_PROGRAM) else ""
            yield Skipped(file=main, line=0, reason=reason, setting=setting)
        else:
            yield from rollout.runs()


def _meta_of(head: bytes) -> Map:
    """The session's own description, from the first line of a rollout."""
    first = parse_line(head.split(b"\n", 1)[0])
    return mapping(first, "payload") if isinstance(first, dict) else {}


def is_subagent(meta: Map) -> bool:
    """Whether another session started this one."""
    return "subagent" in mapping(meta, "source") or text(meta, "thread_source") in ("subagent", "guardian_review")


def _main_rollout_of(path: str, metas: Mapping[str, Map], by_thread: Mapping[str, str]) -> str:
    """The main rollout of a sub-agent's rollout, as far as it is known."""
    for _ in range(20):
        meta = metas[path]
        spawn = mapping(meta, "source", "subagent", "thread_spawn")
        above = text(meta, "parent_thread_id") or text(spawn, "parent_thread_id")
        if not is_subagent(meta) or above not in by_thread or by_thread[above] == path:
            return path
        path = by_thread[above]
    return path


def reason_to_skip(meta: Map) -> str:
    """Why a session is skipped, because a program started it; empty if a person did."""
    source = meta.get("source")
    word = source if isinstance(source, str) else next(iter(mapping(source)), "")
    if is_subagent(meta):
        return "this file is from a sub-agent: import the session it belongs to"
    if word in ("exec", "mcp", "internal"):
        return f"{BY_PROGRAM} (source {word}), not by a person"
    originator = text(meta, "originator")
    if originator == "codex_exec" or originator.startswith("codex_sdk") or flag(meta, "headless"):
        return f"{BY_PROGRAM} (originator {originator}), not by a person"
    return ""
