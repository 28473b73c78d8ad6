"""Tacit's own interchange format: one run as one JSON object, read strictly and written back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.capture.origins import origin_of
from tacit.capture.strict import Strict, word
from tacit.errors import InputError
from tacit.types import Outcome, Passage, Run, ShownSkill, SkillTrace, Snapshot, Tokens, ToolCall

if TYPE_CHECKING:
    from collections.abc import Mapping

RUN_FIELDS = (
    *("id", "session", "agent", "source", "status", "message", "output", "model", "started", "ended"),
    *("tools", "context", "skills", "snapshots", "tokens", "cost_usd", "outcome", "correction"),
)
_TOOL_FIELDS = ("name", "ok", "input", "output", "error", "origin", "skills", "said")


def parse_run(obj: object, *, source: str = "api") -> Run:
    """The run one JSON object describes; InputError names the field that is wrong and what to write instead."""
    top = Strict(obj, "", RUN_FIELDS)
    if "message" not in top.fields:
        raise InputError('message: missing; a run needs at least {"message": "what the person asked"}')
    return Run(
        message=top.required("message"),
        output=top.text("output"),
        status=top.optional("status"),
        external_id=top.optional("id"),
        session=top.text("session"),
        source=top.text("source") or source,
        agent=top.text("agent"),
        model=top.text("model"),
        tools=top.each("tools", _tool),
        context=top.each("context", _passage),
        skills=top.part("skills", _skills) or SkillTrace(),
        snapshots=top.each("snapshots", _snapshot),
        tokens=top.part("tokens", _tokens) or Tokens(),
        cost_usd=top.amount("cost_usd"),
        started=top.moment("started"),
        ended=top.moment("ended"),
        outcome=top.part("outcome", _outcome),
        correction=top.optional("correction"),
    )


def dump_run(run: Run) -> dict[str, object]:
    """The JSON object that `parse_run` reads back as the same run; what has its default is left out."""
    skills = run.skills
    traced = {"active": list(skills.active), "attempted": list(skills.attempted), "path": list(skills.path)}
    shown = [{"name": skill.name, "body": skill.body} for skill in skills.shown]
    optional: dict[str, object] = {
        "id": run.external_id,
        "session": run.session or None,
        "agent": run.agent or None,
        "source": run.source if run.source != "api" else None,
        "status": run.status,
        "output": run.output or None,
        "model": run.model or None,
        "started": run.started,
        "ended": run.ended,
        "tools": [_dump_tool(tool) for tool in run.tools] or None,
        "context": [{"origin": piece.origin, "text": piece.text} for piece in run.context] or None,
        "skills": _filled(traced | {"shown": shown}),
        "snapshots": [{"sequence": s.sequence, "trigger": s.trigger, "skills": list(s.skills)} for s in run.snapshots]
        or None,
        "tokens": _dump_tokens(run.tokens),
        "cost_usd": run.cost_usd,
        "outcome": run.outcome and {"success": run.outcome.success, "by": run.outcome.by, "reason": run.outcome.reason},
        "correction": run.correction,
    }
    return {"message": run.message} | {key: value for key, value in optional.items() if value is not None}


def _dump_tokens(tokens: Tokens) -> dict[str, object] | None:
    counts = {
        "input": tokens.input,
        "output": tokens.output,
        "cache_read": tokens.cache_read,
        "cache_write": tokens.cache_write,
    }
    return _filled(counts)


def _dump_tool(tool: ToolCall) -> dict[str, object]:
    found: dict[str, object] = {"name": tool.name, "ok": tool.ok, "input": tool.input, "output": tool.output}
    if tool.error is not None:
        found["error"] = tool.error
    if tool.origin != origin_of(tool.name):
        found["origin"] = tool.origin
    return found | ({"skills": list(tool.skills)} if tool.skills else {}) | ({"said": tool.said} if tool.said else {})


def _filled(values: Mapping[str, object]) -> dict[str, object] | None:
    return {key: value for key, value in values.items() if value} or None


def _tool(value: object, where: str) -> ToolCall:
    obj = Strict(value, where, _TOOL_FIELDS)
    name = obj.required("name")
    return ToolCall(
        name=name,
        ok=obj.truth("ok", default=obj.fields.get("error") is None),
        input=obj.text("input"),
        output=obj.text("output"),
        error=obj.optional("error"),
        origin=obj.origin("origin", origin_of(name)),
        skills=obj.each("skills", word),
        said=obj.text("said"),
    )


def _passage(value: object, where: str) -> Passage:
    obj = Strict(value, where, ("origin", "text"))
    return Passage(origin=obj.origin("origin"), text=obj.required("text"))


def _skills(value: object, where: str) -> SkillTrace:
    obj = Strict(value, where, ("active", "attempted", "path", "shown"))
    return SkillTrace(
        active=obj.each("active", word),
        attempted=obj.each("attempted", word),
        path=obj.each("path", word),
        shown=obj.each("shown", _shown),
    )


def _shown(value: object, where: str) -> ShownSkill:
    obj = Strict(value, where, ("name", "body"))
    return ShownSkill(name=obj.required("name"), body=obj.required("body"))


def _snapshot(value: object, where: str) -> Snapshot:
    obj = Strict(value, where, ("sequence", "trigger", "skills"))
    return Snapshot(sequence=obj.count("sequence"), trigger=obj.required("trigger"), skills=obj.each("skills", word))


def _tokens(value: object, where: str) -> Tokens:
    obj = Strict(value, where, ("input", "output", "cache_read", "cache_write"))
    return Tokens(
        input=obj.count("input"),
        output=obj.count("output"),
        cache_read=obj.count("cache_read"),
        cache_write=obj.count("cache_write"),
    )


def _outcome(value: object, where: str) -> Outcome:
    obj = Strict(value, where, ("success", "by", "reason"))
    return Outcome(success=obj.truth("success"), by=obj.required("by"), reason=obj.text("reason"))
