"""The hot path: what Metier derives from a finished run, as functions of the run alone."""

from __future__ import annotations

import re
import secrets
from dataclasses import replace
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, TypeVar, cast

from metier.redaction import MARK
from metier.types import Exchange, Passage, Record, Run, ShownSkill, ToolCall
from metier.types.runs import unique_names

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

T = TypeVar("T")

OWN_BYTES = 8
SESSION_BYTES = 4
SUMMARY = 160
"""Characters of a summary, its `...` included."""
EXCERPT = 1200
"""Characters of the final output that lists and prompts show."""
SKILL_NAME = re.compile(r"[^\W_][\w.-]{0,63}(:[^\W_][\w.-]{0,63})?")
"""A skill's name, or `plugin:name`; what ships is held to stricter rules."""


def identity(run: Run, workspace: str) -> str:
    """The run's stable id: the same run delivered twice gets the same one.

    A run with neither an external id nor a start time cannot be told from another like it: every delivery is new.
    The last third of an id is that of its session: the store keeps runs of one session together by it.
    """
    place = _unkeyed("\0".join((workspace, run.source, run.session)))
    session = blake2b(place.encode(), digest_size=SESSION_BYTES).hexdigest()
    if run.external_id is not None:
        own = "id:" + run.external_id
    elif run.started is not None:
        own = "at:" + run.started
    else:
        return secrets.token_hex(OWN_BYTES) + session
    parts = _unkeyed("\0".join((place, own, run.message)))
    return blake2b(parts.encode(), digest_size=OWN_BYTES).hexdigest() + session


def _unkeyed(text: str) -> str:
    """Text without the digits of its redaction marks: they differ from key to key, and a run is the same under each."""
    return MARK.sub(lambda found: found[0][:-10], text) if "[REDACTED:" in text else text


def record_of(run: Run, workspace: str, now: str) -> Record:
    """The run as it goes into the store, with everything derived from it."""
    return Record(
        id=identity(run, workspace),
        run=run,
        sequence=0,
        workspace=workspace,
        revision=1,
        summary=summary_of(run),
        success=success_of(run),
        used=used_skills(run),
        state="new",
        recorded=now,
    )


def success_of(run: Run) -> bool | None:
    """An explicit outcome wins, then a person's correction; else `completed` claims success, any other word failure."""
    if run.outcome is not None:
        return run.outcome.success
    if run.correction:
        return False
    return None if run.status is None else run.status == "completed"


def used_skills(run: Run) -> tuple[str, ...]:
    """The skills that did the work: the final successful path, else those of successful tool executions."""
    path = unique_names(run.skills.path)
    return path or unique_names([name for tool in run.tools if tool.ok and tool.skills for name in tool.skills])


def seen_skills(run: Run) -> tuple[str, ...]:
    """Every skill the run met in any way, also where it failed."""
    traced = (*run.skills.path, *run.skills.attempted, *run.skills.active, *(one.name for one in run.skills.shown))
    traced = (*traced, *run.skills.given)
    snapped = [name for snapshot in run.snapshots for name in snapshot.skills]
    return unique_names([*traced, *snapped, *(name for tool in run.tools if tool.skills for name in tool.skills)])


def valid_name(name: str) -> bool:
    """Whether a text can be a skill's name at all."""
    return SKILL_NAME.fullmatch(name) is not None


def summary_of(run: Run) -> str:
    """The message, trimmed and cut; a line naming run and status when there is none."""
    text = run.message.strip()
    if not text:
        return f"run {run.external_id or run.session or 'without a name'} ({run.status or 'status unknown'})"
    return text if len(text) <= SUMMARY else text[: SUMMARY - 3] + "..."


def excerpt_of(output: str) -> str:
    """The final output, cut for lists and prompts."""
    return output if len(output) <= EXCERPT else output[: EXCERPT - 3] + "..."


def redact_run(run: Run, redact: Callable[[str], str]) -> Run:
    """The run with every text in it passed through a redactor, names and ids too."""
    many = partial(_each, redact)
    return _changed(
        run,
        message=redact(run.message),
        output=redact(run.output),
        status=run.status and redact(run.status),
        external_id=run.external_id and redact(run.external_id),
        session=redact(run.session),
        source=redact(run.source),
        agent=redact(run.agent),
        model=redact(run.model),
        tools=tuple(_redacted_tool(tool, redact) for tool in run.tools),
        context=tuple(Passage(origin=piece.origin, text=redact(piece.text)) for piece in run.context),
        skills=_changed(
            run.skills,
            active=many(run.skills.active),
            attempted=many(run.skills.attempted),
            path=many(run.skills.path),
            given=many(run.skills.given),
            shown=tuple(ShownSkill(name=redact(one.name), body=redact(one.body)) for one in run.skills.shown),
        ),
        snapshots=tuple(_changed(one, trigger=redact(one.trigger), skills=many(one.skills)) for one in run.snapshots),
        outcome=run.outcome and _changed(run.outcome, by=redact(run.outcome.by), reason=redact(run.outcome.reason)),
        correction=run.correction and redact(run.correction),
        exchanges=tuple(
            Exchange(message=redact(one.message), before=redact(one.before), reply=redact(one.reply))
            for one in run.exchanges
        ),
        selection=run.selection and redact(run.selection),
    )


def _redacted_tool(tool: ToolCall, redact: Callable[[str], str]) -> ToolCall:
    return _changed(
        tool,
        name=redact(tool.name),
        input=redact(tool.input),
        output=redact(tool.output),
        error=tool.error and redact(tool.error),
        skills=_each(redact, tool.skills),
        said=redact(tool.said),
    )


def _changed(value: T, **fields: object) -> T:
    """The value with these fields; itself where they are what it has, which is quicker than a copy."""
    if all(getattr(value, name) == field for name, field in fields.items()):
        return value
    return cast("T", replace(cast("Any", value), **fields))


def _each(redact: Callable[[str], str], texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(redact(text) for text in texts) if texts else texts
