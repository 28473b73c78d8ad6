"""`metier select`: the skills for a task, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from metier.cli.options import AsJson, open_workspace, options_from, prepare_hooks, tell_budget
from metier.cli.output import console, emit, talk

if TYPE_CHECKING:
    from metier.selection.assembly.render import Form
    from metier.selection.result import Selected

TaskArgument = Annotated[
    str, typer.Argument(metavar="TASK", help="What the agent is about to do; - reads standard input.")
]
Agent = Annotated[str, typer.Option(metavar="NAME", help="The agent that asks, such as claude-code.")]
PathOption = Annotated[str, typer.Option("--path", metavar="PATH", help="The file or folder the task is about.")]
Exclude = Annotated[list[str] | None, typer.Option(metavar="SKILL", help="Leave this skill out; can be repeated.")]
Budget = Annotated[int | None, typer.Option(min=0, max=1_000_000, help="Use at most this many tokens of skills.")]
NoModel = Annotated[bool, typer.Option("--no-model", help="Ask no model and no remote embedder; the score decides.")]
Render = Annotated[
    str,
    typer.Option(metavar="FORM", help="Print what the agent gets: markdown, claude-code, skill-content, mcp, plain."),
]
Session = Annotated[str, typer.Option(metavar="ID", help="The agent's session: trials decide by it.")]
Why = Annotated[bool, typer.Option("--why", help="Show the parts of each score, and what each stage did.")]
ALIASES = {"claude": "claude-code"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectFlags:
    """What `metier select` can be told."""

    task: TaskArgument
    agent: Agent = ""
    path: PathOption = ""
    exclude: Exclude = None
    budget: Budget = None
    no_model: NoModel = False
    session: Session = ""
    render: Render = ""
    why: Why = False
    as_json: AsJson = False


@options_from(SelectFlags)
def select(ctx: typer.Context, asked: SelectFlags) -> None:
    """Select skills for a task: show which were chosen, which were close, and why.

    No skill is a valid result and exits with 0. The selection is saved, so that Metier can later measure how useful
    the skills were. With --render, only the text for the agent is printed.

    Example:  metier select "fix the flaky login test" --why  ·  metier select - --render claude-code < task.txt
    """
    form = _form(asked.render) if asked.render else None
    text = _task(asked.task)
    with open_workspace(ctx) as ws:
        if not asked.as_json and not asked.no_model:
            tell_budget(ws)
        prepare_hooks(ws)
        found = ws.select(
            text,
            agent=asked.agent,
            path=asked.path,
            exclude=asked.exclude or (),
            session=asked.session,
            budget=asked.budget,
            model=not asked.no_model,
        )
    if asked.as_json:
        emit(found.as_json())
        for note in found.notes:
            talk(note)
    else:
        _show(found, form, why=asked.why)


def _show(found: Selected, form: Form | None, *, why: bool) -> None:
    from metier.cli.views.select import page
    from metier.selection.wording import closing_lines

    if form:
        console().out(found.render(form), end="", highlight=False)
    else:
        for part in page(found, why=why):
            console().print(part)
    for line in closing_lines(found):
        talk(line)
    if found.choice.chosen and not (form or why):
        talk("Hooks are stricter: they hand over a skill only where its words leave no doubt.")
        talk("See the text for the agent: --render markdown. See the parts of the scores: --why")


def _form(name: str) -> Form:
    from metier.selection.assembly.render import FORMS

    form = ALIASES.get(name, name)
    if form not in FORMS:
        raise typer.BadParameter(f"unknown form {name!r}; use one of {', '.join(FORMS)}", param_hint="--render")
    return form


def _task(given: str) -> str:
    import sys

    from metier.errors import InputError, UsageError

    if not given.strip():
        raise UsageError("The task is empty. Write it after `metier select`, or pipe it in with `-`.")
    if given != "-":
        return given
    if sys.stdin is None or sys.stdin.isatty():  # pyright: ignore[reportUnnecessaryComparison]
        raise InputError("There is no task. Write it after `metier select`, or pipe it in with `-`.")
    return sys.stdin.buffer.read().decode("utf-8", "replace")
