"""One run as a conversation: who said what, the steps between, what went wrong, and what each line taught."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from metier.redaction import MARK
from metier.runs.wording import action_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from metier.types import Exchange, Record, Run, ToolCall
    from metier.types.lessons import Lesson

TEXT, PART = 20_000, 3_000
"""Characters shown of what somebody said, and of a tool's input or output."""
STEPS = 300
"""Steps shown of a long run, the first and the last ones, unless all are asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Taught:
    """A lesson that rests on a line."""

    id: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownStep:
    """One call of a tool."""

    number: int
    name: str
    ok: bool
    line: str
    """What was asked of it, in a line."""
    input: str
    output: str
    cut: int
    """Characters of the output that are not shown."""
    skills: tuple[str, ...] = ()
    taught: tuple[Taught, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """Something that was said, or the steps between."""

    kind: Literal["person", "agent", "steps", "correction", "gap"]
    text: str = ""
    cut: int = 0
    steps: tuple[ShownStep, ...] = ()
    taught: tuple[Taught, ...] = ()

    @property
    def failed(self) -> int:
        """Steps that went wrong."""
        return sum(not one.ok for one in self.steps)

    @property
    def tools(self) -> str:
        """Which tools, and how often."""
        counts: dict[str, int] = {}
        for one in self.steps:
            counts[one.name[:40]] = counts.get(one.name[:40], 0) + 1
        return ", ".join(f"{name} {number}" if number > 1 else name for name, number in counts.items())


def conversation(run: Run, lessons: Sequence[Lesson] = (), *, every_step: bool = False) -> tuple[Turn, ...]:
    """A run from the request to the correction; each line with the lessons that quote it."""
    turns = [_said("person", run.message)]
    shown, messages = _shown_numbers(len(run.tools), every=every_step), _placed(run)
    hidden = len(run.tools) - len(shown)
    group: list[ShownStep] = []
    for index, call in enumerate(run.tools):
        if index not in shown:
            turns += [*_steps(group), *([Turn(kind="gap", cut=hidden)] if index - 1 in shown else [])]
            group = []
            continue
        if call.said.strip():
            turns += [*_steps(group), _said("agent", call.said)]
            group = []
        group.append(_step(index + 1, call))
        if index in messages:
            turns += [*_steps(group), *_exchange(messages[index])]
            group = []
    turns += [*_steps(group), *_exchange(messages.get(-1, ()))]
    turns += [_said("agent", run.output)] if run.output.strip() else []
    turns += [_said("correction", run.correction)] if run.correction else []
    return tuple(_with_lessons(turns, lessons))


def count_redactions(record: Record) -> int:
    """How many secrets were taken out of a run before it was stored."""
    run = record.run
    texts = [run.message, run.output, run.correction or "", *(piece.text for piece in run.context)]
    texts += [text for call in run.tools for text in (call.input, call.output, call.error or "", call.said)]
    return sum(len(MARK.findall(text)) for text in texts)


def _said(kind: Literal["person", "agent", "correction"], text: str) -> Turn:
    said = text.strip()
    return Turn(kind=kind, text=said[:TEXT], cut=max(0, len(said) - TEXT))


def _steps(group: Sequence[ShownStep]) -> list[Turn]:
    return [Turn(kind="steps", steps=tuple(group))] if group else []


def _exchange(found: Sequence[Exchange]) -> list[Turn]:
    """A message that was written while the agent was at work, and what it first said to it."""
    turns: list[Turn] = []
    for one in found:
        turns.append(_said("person", one.message))
        turns += [_said("agent", one.reply)] if one.reply.strip() else []
    return turns


def _shown_numbers(total: int, *, every: bool) -> set[int]:
    """Which steps are shown: of a long run the first two thirds and the last third of the limit."""
    if every or total <= STEPS:
        return set(range(total))
    return {*range(2 * STEPS // 3), *range(total - STEPS // 3, total)}


def _placed(run: Run) -> dict[int, list[Exchange]]:
    """The messages that came in between, by the step they came after; -1: nobody knows."""
    found: dict[int, list[Exchange]] = {}
    for one in run.exchanges:
        if one.message.strip() and one.message.strip() != run.message.strip():
            found.setdefault(_place(run.tools, one.before.strip()), []).append(one)
    return found


def _place(calls: Sequence[ToolCall], before: str) -> int:
    if not before:
        return -1
    return next(
        (
            index
            for index in range(len(calls) - 1, -1, -1)
            if before in calls[index].input or calls[index].input[:200] in before or before == calls[index].said.strip()
        ),
        -1,
    )


def _step(number: int, call: ToolCall) -> ShownStep:
    output = call.error or call.output if not call.ok else call.output or call.error or ""
    return ShownStep(
        number=number,
        name=call.name,
        ok=call.ok,
        line=" ".join(action_line(call.input).split())[:200],
        input=call.input[:PART],
        output=output[:PART],
        cut=max(0, len(output) - PART),
        skills=call.skills,
    )


def _with_lessons(turns: Sequence[Turn], lessons: Sequence[Lesson]) -> Iterator[Turn]:
    """Turns with the lessons whose quotes stand in them."""
    quotes = [(_plain(quote.text), Taught(id=one.id, text=one.text)) for one in lessons for quote in one.quotes]
    for turn in turns:
        steps = tuple(
            replace(one, taught=_quoting(f"{one.input} {one.line} {one.output}", quotes)) for one in turn.steps
        )
        yield replace(turn, taught=_quoting(turn.text, quotes), steps=steps)


def _quoting(text: str, quotes: Sequence[tuple[str, Taught]]) -> tuple[Taught, ...]:
    plain = _plain(text)
    return tuple(dict.fromkeys(taught for quote, taught in quotes if quote and quote in plain))


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
