"""`metier learn`: the cold path, once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from metier.cli.options import AsJson, open_workspace, tell_budget
from metier.cli.output import emit, result_with_progress
from metier.errors import UsageError
from metier.events import Noted

if TYPE_CHECKING:
    from collections.abc import Generator

    from metier.events import Event
    from metier.types.passes import Learned

Explain = Annotated[bool, typer.Option("--explain", help="Show what happened to every run and every ready pattern.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Write nothing and ask no model; show what would be found.")]
Apply = Annotated[
    bool | None,
    typer.Option(
        "--apply/--no-apply", help="Ship drafts that pass review and the gate, or don't; default: the setting mode."
    ),
]
Wait = Annotated[
    float, typer.Option("--wait", metavar="SECONDS", min=0, help="Wait this long for another learner to finish.")
]
Questions = Annotated[
    str,
    typer.Option(
        "--questions",
        metavar="DIR",
        help="Ask no model: write each question as a file into this folder, for your agent's open session or yourself.",
    ),
]
Answers = Annotated[
    str, typer.Option("--answers", metavar="DIR", help="Take in the answers in this folder, then ask what is left.")
]
SUMMED_UP = ("learn", "draft", "lessons")
"""Stages whose notes the page says once, at the end."""


def learn(
    ctx: typer.Context,
    explain: Explain = False,
    dry_run: DryRun = False,
    apply: Apply = None,
    wait: Wait = 0.0,
    questions: Questions = "",
    answers: Answers = "",
    as_json: AsJson = False,
) -> None:
    """Learn from new runs: find lessons and patterns, write drafts, review them.

    Each run is judged and grouped once, so a pass costs only what is new. Drafts wait for your approval, unless the
    mode is apply or you add --apply. Without a model, heuristics do everything. Exits with 1 if anything failed or was
    refused.

    With --questions no model is called: your agent's open session answers in files, --answers takes them in, and so on
    until nothing is left to ask. This only proposes; it ships nothing.

    Example:  metier learn  ·  metier learn --explain  ·  metier learn --dry-run  ·  metier learn --questions ./ask
    """
    if questions or answers:
        if dry_run or apply:
            raise UsageError("--questions and --answers only propose: leave --dry-run and --apply out.")
        from metier.cli.commands.learn_by_files import run_round

        run_round(ctx, questions, answers, wait=wait, explain=explain, as_json=as_json)
        return
    with open_workspace(ctx, refuses_off=True) as ws:
        library = ws.library
        from metier.cli.views.learn import document, print_page
        from metier.context.models.access import may_send
        from metier.proof.learn_and_prove import learn_and_prove
        from metier.types.passes import Options

        if not as_json and not dry_run and may_send(ws.context):
            tell_budget(ws)
        notes: list[str] = []
        events = learn_and_prove(library, Options(apply=apply, dry_run=dry_run, wait=wait))
        learned = result_with_progress(_without_notes(events, notes))
        if as_json:
            emit(document(ws, learned, explain=explain))
        else:
            print_page(ws, learned, notes, explain=explain)
    if any(one.what in ("failed", "refused") for one in learned.taken):
        raise typer.Exit(1)


def _without_notes(events: Generator[Event, None, Learned], notes: list[str]) -> Generator[Event, None, Learned]:
    """The events but for those that are summed up at the end; what the whole pass should know is kept."""
    while True:
        try:
            event = next(events)
        except StopIteration as end:
            return end.value
        if not isinstance(event, Noted) or event.stage not in SUMMED_UP:
            yield event
        elif event.stage == "learn":
            notes.append(event.text)
