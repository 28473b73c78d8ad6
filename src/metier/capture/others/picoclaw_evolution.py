"""PicoClaw's evolution records: what its hot path wrote down of each turn, as runs."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, BinaryIO

from metier.capture.reading.fields import Map, elements, is_map, items, mapping, moment, number, text
from metier.capture.reading.lines import read_records
from metier.capture.source import Captured, Skipped
from metier.types import Run, SkillTrace, Snapshot, ToolCall

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

TASKS, PATTERNS, OLD = "task-records.jsonl", "pattern-records.jsonl", "learning-records.jsonl"
"""The files of an evolution state folder that hold records; the last one is of older versions and holds both kinds."""
_TASK_KINDS = ("task", "case", "")
_PATTERN_KINDS = ("pattern", "rule")


def is_evolution_file(path: str) -> bool:
    """Whether a file is one of those in which PicoClaw keeps evolution records."""
    return PurePath(path).name in (TASKS, PATTERNS, OLD)


def holds_records(head: bytes) -> bool:
    """Whether the first line of a file is an evolution record."""
    first = head.split(b"\n", 1)[0]
    return b'"kind"' in first and b'"workspace_id"' in first


def parse_evolution(files: Mapping[str, BinaryIO]) -> Iterator[Captured | Skipped]:
    """The runs of a state folder: each task once, in its newest form, older files first."""
    found: dict[tuple[str, str], Captured] = {}
    for name in sorted(files, key=lambda path: PurePath(path).name != OLD):
        patterns = 0
        for one in read_records(name, files[name]):
            if isinstance(one, Skipped):
                yield one
                continue
            line, record = one
            kind = text(record, "kind").strip().lower()
            if kind in _PATTERN_KINDS:
                patterns += 1
            elif kind not in _TASK_KINDS:
                yield Skipped(file=name, line=line.number, reason=f"records of kind {kind[:40]!r} are not known")
            elif not _goal(record):
                yield Skipped(file=name, line=line.number, reason="the record has neither a goal nor a summary")
            else:
                own = text(record, "id").strip()
                key = (text(record, "workspace_id").strip(), own or f"{name}:{line.number}")
                found[key] = Captured(run=run_of(record, own or f"line:{line.number}"), file=name, offset=line.offset)
        if patterns:
            said = f"{patterns} pattern{'' if patterns == 1 else 's'}: metier learn makes patterns anew from the runs"
            yield Skipped(file=name, line=0, reason=said)
    yield from _of_one_workspace(found)


def _of_one_workspace(found: Mapping[tuple[str, str], Captured]) -> Iterator[Captured | Skipped]:
    """The runs of the workspace the state folder lies in, where several share it and that one is among them."""
    workspaces = {workspace for workspace, _ in found}
    for (workspace, _), one in found.items():
        folders = PurePath(one.file).parents
        own = str(folders[2]) if len(folders) > 2 else ""
        if len(workspaces) > 1 and own in workspaces and workspace != own:
            yield Skipped(file=one.file, line=0, reason=f"{one.run.external_id} belongs to the workspace {workspace}")
        else:
            yield one


def run_of(record: Map, external_id: str) -> Run:
    """A task record as a run; what PicoClaw did not write down stays empty."""
    trail = mapping(record, "attempt_trail")
    success = record.get("success")
    return Run(
        message=_goal(record),
        output=text(record, "final_output"),
        status=("completed" if success else "error") if isinstance(success, bool) else None,
        external_id=external_id,
        session=text(record, "session_key").strip(),
        source="picoclaw",
        agent="picoclaw",
        tools=_tools(record),
        skills=SkillTrace(
            active=_names(record, "all_loaded_skill_names") or _names(record, "active_skill_names"),
            attempted=_names(trail, "attempted_skills"),
            path=_names(trail, "final_successful_path") or _names(record, "used_skill_names"),
        ),
        snapshots=tuple(
            Snapshot(sequence=number(one, "sequence"), trigger=text(one, "trigger"), skills=_names(one, "skill_names"))
            for one in items(trail, "skill_context_snapshots")
            if is_map(one)
        ),
        started=moment(record, "created_at"),
        ended=moment(record, "updated_at") or moment(record, "created_at"),
    )


def _goal(record: Map) -> str:
    """What the person asked for; older records have a summary only."""
    return text(record, "user_goal").strip() or text(record, "summary").strip()


def _tools(record: Map) -> tuple[ToolCall, ...]:
    """The executions; older records name only which tools there were, and nothing is known of how they went."""
    done = [one for one in items(record, "tool_executions") if is_map(one) and text(one, "name").strip()]
    if not done:
        return tuple(ToolCall(name=name) for name in _names(record, "tool_kinds"))
    return tuple(
        ToolCall(
            name=text(one, "name").strip(),
            ok=one.get("success") is not False,
            error=text(one, "error_summary") or None,
            skills=_names(one, "skill_names"),
        )
        for one in done
    )


def _names(record: Map, key: str) -> tuple[str, ...]:
    return tuple(one.strip() for one in elements(record.get(key)) if isinstance(one, str) and one.strip())
