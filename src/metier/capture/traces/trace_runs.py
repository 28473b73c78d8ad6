"""Build runs from the steps of traces (agent, model, tool), the same way for all conventions."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from metier.capture.reading.corrections import is_correction, is_own_prompt
from metier.capture.reading.fields import clip
from metier.capture.reading.messages import SYSTEM, ChatMessage
from metier.capture.reading.run_builder import RunBuilder
from metier.types import Outcome, Tokens

if TYPE_CHECKING:
    from collections.abc import Iterator

    from metier.capture.traces.spans import TraceSpan
    from metier.types import Run

_NONE = Tokens()

StepKind = Literal["agent", "model", "tool", "other"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceStep:
    """What one span says about a run."""

    span: TraceSpan
    kind: StepKind = "other"
    received: tuple[ChatMessage, ...] = ()
    answered: tuple[ChatMessage, ...] = ()
    tool: str = ""
    call: str = ""
    given: str = ""
    output: str = ""
    model: str = ""
    tokens: Tokens = _NONE
    session: str = ""
    agent: str = ""
    skills: tuple[str, ...] = ()
    outcome: Outcome | None = None


def _clip_step(step: TraceStep, limit: int) -> TraceStep:
    """The step with each of its texts cut."""

    def cut(told: tuple[ChatMessage, ...]) -> tuple[ChatMessage, ...]:
        return tuple(
            replace(
                message,
                text=clip(message.text, limit),
                calls=tuple((call, name, clip(given, limit)) for call, name, given in message.calls),
                results=tuple((call, clip(said, limit)) for call, said in message.results),
            )
            for message in told
        )

    given, output = clip(step.given, limit), clip(step.output, limit)
    return replace(step, received=cut(step.received), answered=cut(step.answered), given=given, output=output)


def _size_of(step: TraceStep) -> int:
    """The number of characters in a step."""
    told = (*step.received, *step.answered)
    inner = sum(len(part[-1]) for message in told for part in (*message.calls, *message.results))
    return len(step.given) + len(step.output) + inner + sum(len(message.text) for message in told)


@dataclass(kw_only=True)
class _StepGroup:
    """The steps of one run."""

    top: TraceStep
    steps: list[TraceStep] = field(default_factory=list[TraceStep])


class TraceCollector:
    """Collects steps by trace and yields runs; a trace without new steps for long is finished."""

    PATIENCE = 4096
    """A trace is finished after this many steps of other traces."""
    SESSIONS = 256
    """Runs that may wait for the next run of their session."""
    ROOM = 8 * 1024 * 1024
    """Characters that all open traces may have; after that, each further text is cut."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._open: dict[str, list[TraceStep]] = {}
        self._last: dict[str, int] = {}
        self._closed: set[int] = set()
        self._waiting: dict[str, tuple[Run, int]] = {}
        self._count = 0
        self._held = 0
        self.late_spans = 0
        """The number of steps that came after their trace was finished."""

    def add(self, step: TraceStep) -> Iterator[tuple[Run, int]]:
        """Add one step; yield the runs that are finished, each with the offset of its first span."""
        trace = step.span.trace
        self._count += 1
        if hash(trace) in self._closed:
            self.late_spans += 1
            return
        step = step if self._held < self.ROOM else _clip_step(step, 200)
        self._held += _size_of(step)
        self._open.setdefault(trace, []).append(step)
        self._last[trace] = self._count
        if self._count % (self.PATIENCE // 4) == 0:
            for silent in [name for name, at in self._last.items() if at < self._count - self.PATIENCE]:
                del self._last[silent]
                self._closed.add(hash(silent))
                yield from self._finish_trace(self._open.pop(silent))

    def close(self) -> Iterator[tuple[Run, int]]:
        """Yield all runs that are left."""
        found = [one for trace in self._open.values() for one in self._runs_of_trace(trace)]
        found.sort(key=lambda one: one[0].started or "")
        for one in found:
            yield from self._hold_for_correction(one)
        yield from self._waiting.values()
        self._waiting.clear()

    def _finish_trace(self, trace: list[TraceStep]) -> Iterator[tuple[Run, int]]:
        self._held -= sum(_size_of(step) for step in trace)
        for one in self._runs_of_trace(trace):
            yield from self._hold_for_correction(one)

    def _runs_of_trace(self, trace: list[TraceStep]) -> list[tuple[Run, int]]:
        found = [_run_of_group(group, self._source) for group in _group_steps(trace)]
        return [one for one in found if not is_own_prompt(one[0].message)]

    def _hold_for_correction(self, one: tuple[Run, int]) -> Iterator[tuple[Run, int]]:
        """Hold a run back until the next run of its session, which may correct it; yield the run before."""
        if (one[0].external_id or "").startswith(f"{one[0].session}:"):
            yield one  # its trace is its session: nothing can follow
            return
        before = self._waiting.pop(one[0].session, None)
        if before is not None:
            said = one[0].message
            yield (replace(before[0], correction=said[:4000]), before[1]) if is_correction(said) else before
        self._waiting[one[0].session] = one
        if len(self._waiting) > self.SESSIONS:
            yield self._waiting.pop(next(iter(self._waiting)))


def _group_steps(trace: list[TraceStep]) -> list[_StepGroup]:
    """One group per topmost agent; without an agent, the whole trace is one group."""
    by_id = {step.span.id: step for step in trace}
    trace.sort(key=_start_of)
    tops = {step.span.id: _top_agent(step, by_id) for step in trace}
    groups = {step.span.id: _StepGroup(top=step) for step in trace if tops[step.span.id] is step}
    telling = [step for step in trace if step.kind != "other"]
    if not groups:
        return [_StepGroup(top=telling[0], steps=telling)] if telling else []
    ordered = list(groups.values())
    for step in telling:
        top = tops[step.span.id]
        group = _group_before(ordered, step) if top is None else groups[top.span.id]
        group.steps.append(step)
    return ordered


def _start_of(step: TraceStep) -> str:
    return step.span.started or ""


def _group_before(ordered: list[_StepGroup], step: TraceStep) -> _StepGroup:
    """The group for a step that is below no agent: the last one that began before it, else the first."""
    earlier = [group for group in ordered if _start_of(group.top) <= _start_of(step)]
    return earlier[-1] if earlier else ordered[0]


def _top_agent(step: TraceStep, by_id: dict[str, TraceStep]) -> TraceStep | None:
    """The highest agent above a step, which may be the step itself; None if there is none."""
    top, at, seen = None, step, set[str]()
    while at.span.id not in seen:
        seen.add(at.span.id)
        top = at if at.kind == "agent" else top
        above = by_id.get(at.span.parent)
        if above is None:
            break
        at = above
    return top


def _run_of_group(group: _StepGroup, source: str) -> tuple[Run, int]:
    top, steps = group.top, group.steps
    models = _without_nested([step for step in steps if step.kind == "model"], steps)
    tools = [step for step in steps if step.kind == "tool"]
    run = RunBuilder(
        source=source,
        session=next((step.session for step in (top, *steps) if step.session), top.span.trace),
        message=_first_question([top, *models]),
        external_id=f"{top.span.trace}:{top.span.id}",
        started=top.span.started,
    )
    for step in steps:
        _add_step(run, step, spoken=step in models, with_calls=not tools)
    if all(step.tokens == _NONE for step in models):
        run.add_usage(top.span.id, top.tokens)
    _add_end(run, top, top if top.kind == "agent" or not models else models[-1])
    offset = min(step.span.offset for step in (top, *steps))
    return replace(run.build(), outcome=_outcome_of(top, steps), agent=_agent_of(top, steps) or source), offset


def _add_end(run: RunBuilder, top: TraceStep, last: TraceStep) -> None:
    """Add the final answer of an agent span and its status."""
    final = [message.text for message in top.answered if message.text.strip()]
    if top.kind == "agent" and final:
        run.add_answer(final[-1])
    run.add_time(top.span.ended)
    run.status = "error" if last.span.error else "completed" if last.span.ended else None


def _outcome_of(top: TraceStep, steps: list[TraceStep]) -> Outcome | None:
    return next((step.outcome for step in (top, *steps) if step.outcome), None)


def _agent_of(top: TraceStep, steps: list[TraceStep]) -> str:
    return next((step.agent for step in (top, *steps) if step.agent), "")


def _without_nested(models: list[TraceStep], steps: list[TraceStep]) -> list[TraceStep]:
    """The model calls without nested pairs, so that no token counts twice.

    Of two nested calls the inner one counts, unless only the outer one has text: SDKs trace requests without it.
    """
    by_id = {step.span.id: step for step in steps}
    twice: set[str] = set()
    for step in models:
        parent, seen = step.span.parent, set[str]()
        while parent in by_id and parent not in seen:
            seen.add(parent)
            outer = by_id[parent]
            if outer.kind == "model":
                silent = bool(outer.answered) and outer.tokens != _NONE and not step.answered
                twice.add(step.span.id if silent else parent)
            parent = outer.span.parent
    return [step for step in models if step.span.id not in twice]


def _first_question(steps: list[TraceStep]) -> str:
    """The first question in the steps."""
    return next((said for step in steps if (said := _last_question(step))), "")


def _last_question(step: TraceStep) -> str:
    """The person's last message before a step."""
    said = [message.text for message in step.received if message.role in ("user", "human", "") and message.text.strip()]
    return said[-1] if said else ""


def _add_step(run: RunBuilder, step: TraceStep, *, spoken: bool, with_calls: bool) -> None:
    run.add_time(step.span.ended or step.span.started)
    for message in step.received:
        if message.role in SYSTEM:
            run.add_passage("operator", message.text)
        for call, said in message.results if with_calls else ():
            run.add_result(call, said)
    if step.kind == "tool":
        _add_tool(run, step)
    if spoken:
        run.set_model(step.model)
        run.add_usage(step.span.id, step.tokens)
        for message in step.answered:
            run.add_answer(message.text)
            for call, name, given in message.calls if with_calls else ():
                run.add_call(call, name, given)


def _add_tool(run: RunBuilder, step: TraceStep) -> None:
    """Add a tool call; a second span of the same call only adds its error."""
    call = step.call or step.span.id
    if run.has_call(call) and not step.output:
        if step.span.error:
            run.mark_failed(call, step.span.error)
        return
    run.add_call(call, step.tool, step.given)
    run.add_result(call, step.output, error=(step.output or step.span.error) if step.span.error else None)
    for skill in step.skills:
        run.add_skill_use(call, skill)
