"""One run as a page for the terminal: a person should recognise their own session."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from rich.console import Group
from rich.table import Table
from rich.text import Text

from metier.cli.output import visible
from metier.library.delivery.told import SAID
from metier.redaction import MARK
from metier.runs.wording import action_line, who_says

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from metier.learning.trace import Trail
    from metier.library.delivery.told import ToldLine
    from metier.types import Record, ToolCall, Verdict

LONG = 1200
"""Characters shown of an answer."""
SHORT = 300
"""Characters shown of a tool's input or output."""
ENDS = 10
"""Of a long run, twice as many first steps and as many last ones are shown."""
SIGNS = {True: ("succeeded", "green"), False: ("failed", "red"), None: ("result unknown", "yellow")}


def page(
    record: Record,
    verdict: Verdict | None,
    went: Trail | None = None,
    told: Sequence[ToldLine] = (),
    *,
    every_step: bool = False,
) -> RenderableType:
    """The whole run, top to bottom as it happened; of many steps the first and the last."""
    run = record.run
    parts: list[RenderableType] = [
        _head(record),
        *_outcome(record, verdict),
        Text(),
        _title("request"),
        _body(run.message, LONG),
    ]
    if run.tools:
        parts += [Text(), _title(f"steps ({len(run.tools)})")]
        parts += _steps(run.tools, every=every_step)
    if run.output:
        parts += [Text(), _title("answer"), _body(run.output, LONG)]
    if run.correction:
        parts += [Text(), _title("correction by the person"), _body(run.correction, LONG)]
    if told:
        parts += [Text(), _title("lessons the agent was told"), *map(_told, told)]
    return Group(*parts, *_facts(record, went))


def _told(line: ToldLine) -> Text:
    times = f", {line.times} times" if line.times > 1 else ""
    return Text(f"  {visible(line.text)} ({line.lesson[:8]}, {SAID[line.how]}{times})")


def _head(record: Record) -> Text:
    run = record.run
    when = (run.started or record.recorded)[:19].replace("T", " ")
    names = " · ".join(part for part in (when, run.agent, run.model, run.session and f"session {run.session}") if part)
    return Text.assemble((f"run {record.id}", "bold"), f"  {visible(names)}")


def _outcome(record: Record, verdict: Verdict | None) -> list[Text]:
    words, colour = SIGNS[record.success]
    by, reason = who_says(record, verdict)
    return [Text.assemble((words, colour), f" ({visible(by)}{': ' + visible(reason) if reason else ''})")]


def _steps(tools: Sequence[ToolCall], *, every: bool) -> list[RenderableType]:
    lines: list[RenderableType] = []
    for number, tool in enumerate(tools, 1):
        if every or len(tools) <= 3 * ENDS or number <= 2 * ENDS or number > len(tools) - ENDS:
            lines += _step(number, tool)
        elif number == 2 * ENDS + 1:
            lines.append(Text(f"     … {len(tools) - 3 * ENDS} more steps; --all shows them …", style="dim"))
    return lines


def _step(number: int, tool: ToolCall) -> list[RenderableType]:
    lines: list[RenderableType] = [_body(tool.said, SHORT, indent="     ")] if tool.said else []
    sign, colour = ("ok", "green") if tool.ok else ("failed", "red")
    head = Text.assemble(f"{number:>3}. ", (visible(tool.name), "bold"), "  ", (sign, colour))
    if tool.skills:
        head.append(f"  skill {visible(', '.join(tool.skills))}", style="magenta")
    lines.append(head)
    if tool.input:
        lines.append(_body(_one_line(action_line(tool.input)), SHORT, indent="     $ "))
    answer = tool.error or tool.output
    if answer:
        lines.append(_body(_one_line(answer), SHORT, indent="     > ", style="" if tool.ok else "red"))
    return lines


def _learning(went: Trail) -> str:
    """What learning did with the run."""
    match went.went:
        case "new":
            return "not read yet"
        case "rejected":
            return f"skipped: {went.reason}"
        case "waits":
            return f"no pattern yet: {went.reason}"
        case "clustered":
            label = went.pattern.label if went.pattern else "gone by now"
            return f"pattern {label}: {went.reason} (metier patterns show {label})"
        case _:
            assert_never(went.went)


def _facts(record: Record, went: Trail | None) -> list[Text]:
    run = record.run
    tokens = run.tokens
    seen = [*run.skills.active, *run.skills.attempted, *(shown.name for shown in run.skills.shown)]
    loaded = [name for name in dict.fromkeys(seen) if name not in record.used]
    marks = sum(len(MARK.findall(text)) for text in _texts(record))
    facts = {
        "learning": _learning(went) if went else "",
        "skills given": ", ".join(run.skills.given),
        "skills used": ", ".join(record.used),
        "skills seen, not used": ", ".join(loaded),
        "tokens": f"{tokens.input:,} in, {tokens.output:,} out, {tokens.cache_read:,} from cache"
        if any((tokens.input, tokens.output, tokens.cache_read))
        else "",
        "cost": f"${run.cost_usd:.4f}" if run.cost_usd is not None else "",
        "redacted": f"{marks} secret{'' if marks == 1 else 's'} (never stored)" if marks else "",
        "revision": f"{record.revision} (it arrived again with more content)" if record.revision > 1 else "",
    }
    rows = [Text.assemble((f"{name}: ", "dim"), visible(value)) for name, value in facts.items() if value]
    return [Text(), *rows] if rows else []


def _texts(record: Record) -> list[str]:
    run = record.run
    tools = [text for tool in run.tools for text in (tool.input, tool.output, tool.error or "", tool.said)]
    return [run.message, run.output, run.correction or "", *tools, *(piece.text for piece in run.context)]


def _title(text: str) -> Text:
    return Text(text, style="bold underline")


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _body(text: str, limit: int, *, indent: str = "  ", style: str = "") -> RenderableType:
    """Text cut to a length, made safe, with redactions marked; wrapped lines keep the indent."""
    cut = text if len(text) <= limit else f"{text[:limit]}… ({len(text) - limit:,} more characters)"
    body = Text(visible(cut.strip()), style=style)
    body.highlight_regex(MARK.pattern, "black on yellow")
    grid = Table.grid(padding=0)
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row(indent, body)
    return grid
