"""One run as one JSON object: Metier's own format, read strictly and written back without loss."""

from __future__ import annotations

from metier.errors import InputError
from metier.formats.origins import origin_of
from metier.formats.strict_json import StrictObject, word
from metier.types import Exchange, Outcome, Passage, Run, ShownSkill, SkillTrace, Snapshot, Tokens, ToolCall

RUN_FIELDS = (
    *("id", "session", "agent", "source", "status", "message", "output", "model", "started", "ended"),
    *("tools", "context", "skills", "snapshots", "tokens", "cost_usd", "outcome", "correction"),
    *("exchanges", "selection"),
)
_TEXTS = tuple((name, name) for name in ("session", "agent", "output", "model", "selection"))
_NULLABLE = (
    ("id", "external_id"),
    *((name, name) for name in ["status", "started", "ended", "cost_usd", "correction"]),
)
_TOKENS = ("input", "output", "cache_read", "cache_write")
_TRACE = ("active", "attempted", "path", "given")
_EXCHANGE = ("message", "before", "reply")
_NOTHING = Run(message="")
"""A run with all its defaults; most runs share some of them, which is quicker to see than to compare."""
_TOP_FIELDS = dict.fromkeys(RUN_FIELDS)
_TOOL_FIELDS = dict.fromkeys(("name", "ok", "input", "output", "error", "origin", "skills", "said"))
"""Both are looked up for each field of each run and call, so they are more than lists."""


def parse_run(obj: object, *, source: str = "api") -> Run:
    """The run one JSON object describes; InputError names the field that is wrong and what to write instead."""
    top = StrictObject(obj, "", _TOP_FIELDS)
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
        skills=top.part("skills", _skills) or _NOTHING.skills,
        snapshots=top.each("snapshots", _snapshot),
        tokens=top.part("tokens", _tokens) or _NOTHING.tokens,
        cost_usd=top.amount("cost_usd"),
        started=top.moment("started"),
        ended=top.moment("ended"),
        outcome=top.part("outcome", _outcome),
        exchanges=top.each("exchanges", _exchange),
        correction=top.optional("correction"),
        selection=top.text("selection"),
    )


def dump_run(run: Run) -> dict[str, object]:
    """The JSON object that `parse_run` reads back as the same run; what has its default is left out."""
    found: dict[str, object] = {"message": run.message}
    for key, name in _TEXTS:
        if value := getattr(run, name):
            found[key] = value
    for key, name in _NULLABLE:
        if (value := getattr(run, name)) is not None:
            found[key] = value
    if run.source != "api":
        found["source"] = run.source
    if run.tools:
        found["tools"] = [_dump_tool(tool) for tool in run.tools]
    _dump_rest(run, found)
    return found


def _dump_rest(run: Run, found: dict[str, object]) -> None:
    """The parts that most runs do not have."""
    if run.context:
        found["context"] = [{"origin": piece.origin, "text": piece.text} for piece in run.context]
    if run.skills is not _NOTHING.skills and run.skills != _NOTHING.skills:
        found["skills"] = _dump_skills(run.skills)
    if run.snapshots:
        found["snapshots"] = [
            {"sequence": s.sequence, "trigger": s.trigger, "skills": list(s.skills)} for s in run.snapshots
        ]
    _dump_tokens(run, found)
    if run.exchanges:
        found["exchanges"] = [{key: said for key in _EXCHANGE if (said := getattr(e, key))} for e in run.exchanges]
    if run.outcome is not None:
        found["outcome"] = {"success": run.outcome.success, "by": run.outcome.by, "reason": run.outcome.reason}


def _dump_tokens(run: Run, found: dict[str, object]) -> None:
    if run.tokens is not _NOTHING.tokens and run.tokens != _NOTHING.tokens:
        found["tokens"] = {key: count for key in _TOKENS if (count := getattr(run.tokens, key))}


def _dump_skills(skills: SkillTrace) -> dict[str, object]:
    found: dict[str, object] = {key: list(names) for key in _TRACE if (names := getattr(skills, key))}
    if skills.shown:
        found["shown"] = [{"name": shown.name, "body": shown.body} for shown in skills.shown]
    return found


def _dump_tool(tool: ToolCall) -> dict[str, object]:
    found: dict[str, object] = {"name": tool.name, "ok": tool.ok, "input": tool.input, "output": tool.output}
    if tool.error is not None:
        found["error"] = tool.error
    if tool.origin != origin_of(tool.name):
        found["origin"] = tool.origin
    if tool.skills:
        found["skills"] = list(tool.skills)
    if tool.said:
        found["said"] = tool.said
    return found


def _tool(value: object, where: str) -> ToolCall:
    obj = StrictObject(value, where, _TOOL_FIELDS)
    name = obj.required("name")
    return ToolCall(
        name=name,
        ok=obj.truth("ok", default=obj.fields.get("error") is None),
        input=obj.loose("input"),
        output=obj.loose("output"),
        error=obj.optional("error"),
        origin=obj.origin("origin", origin_of(name)),
        skills=obj.each("skills", word),
        said=obj.text("said"),
    )


def _passage(value: object, where: str) -> Passage:
    obj = StrictObject(value, where, ("origin", "text"))
    return Passage(origin=obj.origin("origin"), text=obj.required("text"))


def _exchange(value: object, where: str) -> Exchange:
    obj = StrictObject(value, where, _EXCHANGE)
    return Exchange(message=obj.text("message"), before=obj.text("before"), reply=obj.text("reply"))


def _skills(value: object, where: str) -> SkillTrace:
    obj = StrictObject(value, where, (*_TRACE, "shown"))
    return SkillTrace(
        active=obj.each("active", word),
        attempted=obj.each("attempted", word),
        path=obj.each("path", word),
        given=obj.each("given", word),
        shown=obj.each("shown", _shown),
    )


def _shown(value: object, where: str) -> ShownSkill:
    obj = StrictObject(value, where, ("name", "body"))
    return ShownSkill(name=obj.required("name"), body=obj.required("body"))


def _snapshot(value: object, where: str) -> Snapshot:
    obj = StrictObject(value, where, ("sequence", "trigger", "skills"))
    return Snapshot(sequence=obj.count("sequence"), trigger=obj.required("trigger"), skills=obj.each("skills", word))


def _tokens(value: object, where: str) -> Tokens:
    obj = StrictObject(value, where, _TOKENS)
    return Tokens(
        input=obj.count("input"),
        output=obj.count("output"),
        cache_read=obj.count("cache_read"),
        cache_write=obj.count("cache_write"),
    )


def _outcome(value: object, where: str) -> Outcome:
    obj = StrictObject(value, where, ("success", "by", "reason"))
    return Outcome(success=obj.truth("success"), by=obj.required("by"), reason=obj.text("reason"))
