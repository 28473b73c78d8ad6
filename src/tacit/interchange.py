"""One run as one JSON object: Tacit's own format, read strictly and written back without loss."""

from __future__ import annotations

import json
from datetime import datetime
from math import isfinite
from typing import TYPE_CHECKING, TypeVar, cast, get_args

from tacit.errors import InputError
from tacit.origins import origin_of
from tacit.types import Origin, Outcome, Passage, Run, ShownSkill, SkillTrace, Snapshot, Tokens, ToolCall

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

T = TypeVar("T")

RUN_FIELDS = (
    *("id", "session", "agent", "source", "status", "message", "output", "model", "started", "ended"),
    *("tools", "context", "skills", "snapshots", "tokens", "cost_usd", "outcome", "correction"),
)
_TEXTS = tuple((name, name) for name in ("session", "agent", "output", "model"))
_NULLABLE = (
    ("id", "external_id"),
    *((name, name) for name in ["status", "started", "ended", "cost_usd", "correction"]),
)
_TOKENS = ("input", "output", "cache_read", "cache_write")
_TRACE = ("active", "attempted", "path")
_NO_SKILLS, _NO_TOKENS = SkillTrace(), Tokens()
_TOOL_FIELDS = ("name", "ok", "input", "output", "error", "origin", "skills", "said")
_ORIGINS: tuple[str, ...] = get_args(Origin)
_KINDS: dict[type[object], str] = {
    type(None): "null",
    bool: "true or false",
    str: "text",
    list: "a list",
    dict: "an object",
}


def parse_run(obj: object, *, source: str = "api") -> Run:
    """The run one JSON object describes; InputError names the field that is wrong and what to write instead."""
    top = _Object(obj, "", RUN_FIELDS)
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
    if run.context:
        found["context"] = [{"origin": piece.origin, "text": piece.text} for piece in run.context]
    if run.skills != _NO_SKILLS:
        found["skills"] = _dump_skills(run.skills)
    if run.snapshots:
        found["snapshots"] = [
            {"sequence": s.sequence, "trigger": s.trigger, "skills": list(s.skills)} for s in run.snapshots
        ]
    if run.tokens != _NO_TOKENS:
        found["tokens"] = {key: count for key in _TOKENS if (count := getattr(run.tokens, key))}
    if run.outcome is not None:
        found["outcome"] = {"success": run.outcome.success, "by": run.outcome.by, "reason": run.outcome.reason}
    return found


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
    return found | ({"skills": list(tool.skills)} if tool.skills else {}) | ({"said": tool.said} if tool.said else {})


def _tool(value: object, where: str) -> ToolCall:
    obj = _Object(value, where, _TOOL_FIELDS)
    name = obj.required("name")
    return ToolCall(
        name=name,
        ok=obj.truth("ok", default=obj.fields.get("error") is None),
        input=obj.loose("input"),
        output=obj.loose("output"),
        error=obj.optional("error"),
        origin=obj.origin("origin", origin_of(name)),
        skills=obj.each("skills", _word),
        said=obj.text("said"),
    )


def _passage(value: object, where: str) -> Passage:
    obj = _Object(value, where, ("origin", "text"))
    return Passage(origin=obj.origin("origin"), text=obj.required("text"))


def _skills(value: object, where: str) -> SkillTrace:
    obj = _Object(value, where, (*_TRACE, "shown"))
    return SkillTrace(
        active=obj.each("active", _word),
        attempted=obj.each("attempted", _word),
        path=obj.each("path", _word),
        shown=obj.each("shown", _shown),
    )


def _shown(value: object, where: str) -> ShownSkill:
    obj = _Object(value, where, ("name", "body"))
    return ShownSkill(name=obj.required("name"), body=obj.required("body"))


def _snapshot(value: object, where: str) -> Snapshot:
    obj = _Object(value, where, ("sequence", "trigger", "skills"))
    return Snapshot(sequence=obj.count("sequence"), trigger=obj.required("trigger"), skills=obj.each("skills", _word))


def _tokens(value: object, where: str) -> Tokens:
    obj = _Object(value, where, _TOKENS)
    return Tokens(
        input=obj.count("input"),
        output=obj.count("output"),
        cache_read=obj.count("cache_read"),
        cache_write=obj.count("cache_write"),
    )


def _outcome(value: object, where: str) -> Outcome:
    obj = _Object(value, where, ("success", "by", "reason"))
    return Outcome(success=obj.truth("success"), by=obj.required("by"), reason=obj.text("reason"))


def _word(value: object, where: str) -> str:
    if not isinstance(value, str):
        raise _wrong(where, "text", value)
    return clean(value)


class _Object:
    """One JSON object under strict reading: known fields only, each of its type; null is the same as left out."""

    def __init__(self, value: object, where: str, known: Iterable[str]) -> None:
        if not isinstance(value, dict):
            raise _wrong(where or "a run", "an object", value)
        self.fields = cast("dict[str, object]", value)
        self.where = where
        for key in self.fields:
            if key not in known:
                raise _unknown(self._at(key), key, known)

    def optional(self, key: str) -> str | None:
        """The text of a field, or None."""
        value = self.fields.get(key)
        return None if value is None else _word(value, self._at(key))

    def text(self, key: str) -> str:
        """The text of a field, empty when it is not there."""
        return self.optional(key) or ""

    def loose(self, key: str) -> str:
        """A field that may be any JSON: texts stay as they are, anything else becomes its JSON text."""
        value = self.fields.get(key)
        if value is None or isinstance(value, str):
            return clean(value or "")
        return clean(json.dumps(value, ensure_ascii=False))

    def required(self, key: str) -> str:
        """The text of a field that must be there."""
        if key not in self.fields:
            raise InputError(f"{self._at(key)}: missing; write a text")
        return _word(self.fields[key], self._at(key))

    def truth(self, key: str, *, default: bool | None = None) -> bool:
        """True or false; an error when it is not there and has no default."""
        value = self.fields.get(key)
        if value is None and default is not None:
            return default
        if not isinstance(value, bool):
            raise _wrong(self._at(key), "true or false", value)
        return value

    def count(self, key: str) -> int:
        """A whole number of at least 0; 0 when it is not there."""
        value = self.fields.get(key)
        if value is None:
            return 0
        if isinstance(value, bool) or not isinstance(value, int):
            raise _wrong(self._at(key), "a whole number", value)
        if not 0 <= value < 2**63:
            raise InputError(f"{self._at(key)}: must be between 0 and 2^63")
        return value

    def amount(self, key: str) -> float | None:
        """A sum of money of at least 0, or None."""
        value = self.fields.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise _wrong(self._at(key), "a number", value)
        if not 0 <= value < 2**63 or not isfinite(value):
            raise InputError(f"{self._at(key)}: must be a number from 0 up")
        return float(value)

    def moment(self, key: str) -> str | None:
        """A time as ISO 8601, or None."""
        value = self.optional(key)
        if value is not None and not is_moment(value):
            raise InputError(
                f"{self._at(key)}: {value[:40]!r} is no ISO 8601 time; write one like 2026-01-31T09:30:00Z"
            )
        return value

    def origin(self, key: str, default: Origin | None = None) -> Origin:
        """One of the known origins."""
        value = self.optional(key)
        if value is None and default is not None:
            return default
        if value not in _ORIGINS:
            raise InputError(f"{self._at(key)}: {value!r} is no origin; write one of {', '.join(_ORIGINS)}")
        return cast("Origin", value)

    def each(self, key: str, read: Callable[[object, str], T]) -> tuple[T, ...]:
        """The elements of a list, each read in its place."""
        value = self.fields.get(key)
        if value is None:
            return ()
        if not isinstance(value, list):
            raise _wrong(self._at(key), "a list", value)
        where = self._at(key)
        return tuple(read(element, f"{where}[{index}]") for index, element in enumerate(cast("list[object]", value)))

    def part(self, key: str, read: Callable[[object, str], T]) -> T | None:
        """An object inside this one, or None."""
        value = self.fields.get(key)
        return None if value is None else read(value, self._at(key))

    def _at(self, key: str) -> str:
        return f"{self.where}.{key}" if self.where else key


def _wrong(where: str, wanted: str, value: object) -> InputError:
    found = _KINDS.get(type(value), "a number")
    return InputError(f"{where}: must be {wanted}, not {found}")


def _unknown(where: str, key: str, known: Iterable[str]) -> InputError:
    from difflib import get_close_matches

    near = get_close_matches(key, list(known), n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(known)}"
    return InputError(f"{clean(where[:80])}: unknown field; {hint}")


def is_moment(value: str) -> bool:
    """Whether a text is an ISO 8601 date and time."""
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return len(value) > len("2026-01-01")


def clean(value: str) -> str:
    """Text that every store can hold: lone surrogates and NUL characters become U+FFFD."""
    if "\0" in value:
        value = value.replace("\0", "\ufffd")
    if value.isascii():
        return value
    try:
        value.encode()
    except UnicodeEncodeError:
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return value
