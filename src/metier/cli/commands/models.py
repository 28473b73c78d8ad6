"""`metier models`: whether the configured model can be used, and what was spent on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from metier.cli.options import AsJson, confirm_in_terminal, open_workspace, options
from metier.cli.output import console, emit, talk, visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.cli.options import GlobalOptions
    from metier.context.models.consent import Recipient
    from metier.context.models.spending import Today
    from metier.models.check import CheckResult
    from metier.models.ledger import Limits
    from metier.workspace import Workspace

app = typer.Typer(add_completion=False, rich_markup_mode=None, no_args_is_help=True)
SHOWN = 500
"""Characters of each text that is shown before the first is sent."""
WAYS = {
    "model": "sends the requests, answers and commands of recorded runs to {}, secrets taken out.",
    "agent": "hands the requests, answers and commands of recorded runs to {}, which sends them on; secrets taken out.",
    "files": "writes the requests, answers and commands of recorded runs into {}, secrets taken out. Who answers them "
    "gets that text: your agent's open session sends it to its own provider.",
}
"""What becomes of text of sessions, by the kind of who gets it."""
Provider = Annotated[str, typer.Argument(metavar="[PROVIDER]", help="Who may get it; default: the model that is set.")]
SIGNS = {"ok": ("ok", "green"), "warning": ("note", "yellow"), "problem": ("PROBLEM", "red")}


@app.callback()
def models() -> None:
    """Check the models that learning uses."""


@app.command()
def check(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Ask the configured model a few small questions, and show today's spending and the budget.

    Exits with 1 if something is wrong. Keys are never shown.

    Example:  METIER_MODEL=anthropic:claude-haiku-4-5 metier models check
    """
    import os
    from dataclasses import asdict
    from datetime import UTC, datetime

    from metier.context.context import settings_for
    from metier.context.models.access import models_of
    from metier.models.check import check_budget, check_models

    given = options(ctx)
    found = models_of(settings_for(given.folder, given.flags, os.environ))
    results = check_models(found.model, os.environ, datetime.now(UTC), found.embedder)
    today = _today(given)
    if today is not None:
        results.append(check_budget(today.spent, found.limits, today.pending))
    if as_json:
        emit({"checks": [asdict(one) for one in results], "today": _fields(today, found.limits) if today else None})
    else:
        _show(results)
    raise typer.Exit(1 if any(result.state == "problem" for result in results) else 0)


@app.command()
def allow(ctx: typer.Context, provider: Provider = "true", as_json: AsJson = False) -> None:
    """Show what learning would send, with secrets taken out, and ask for your yes: once a project and provider.

    Asks in a terminal of yours and nowhere else. Without a provider it is the model that is set; question-files are
    those of `metier learn --questions`.

    Example:  metier models allow  ·  metier models allow question-files
    """
    allowed = allow_sending(ctx, provider, is_quiet=as_json)
    if as_json:
        emit(allowed)


def allow_sending(ctx: typer.Context, wanted: str, *, is_quiet: bool) -> dict[str, str]:
    """Show what would be sent and to whom, ask, and keep the yes; returns what was agreed to."""
    from metier.context.models.access import models_of
    from metier.context.models.consent import give_consent, named_recipient

    with open_workspace(ctx) as ws:
        to = named_recipient(wanted, models_of(ws.context.settings).model)
        if not is_quiet:
            show_sending(ws, to)
        confirm_in_terminal(f"May it go to {to.provider} from now on?")
        give_consent(ws.context, to, "terminal")
        if not is_quiet:
            talk(f"Allowed for this project: {to.provider}. Undo: metier config unset send_sessions")
        return {"workspace": str(ws.root), "provider": to.provider, "kind": to.kind}


def show_sending(ws: Workspace, to: Recipient) -> None:
    """Show what learning would send to a recipient, with an example."""
    newest = ws.runs(limit=1)
    talk(f"Learning {WAYS[to.kind].format(to.provider)}")
    talk("An example, as it would be sent:" if newest else "There is no run yet that could be shown.")
    for record in newest:
        talk(f"  request: {record.run.message[:SHOWN]}")
        talk(f"  answer: {record.run.output[:SHOWN]}")
        for tool in record.run.tools[:3]:
            talk(f"  {tool.name}: {tool.input[:SHOWN]}")


def _show(results: Sequence[CheckResult]) -> None:
    from rich.text import Text

    out = console()
    for result in results:
        sign, colour = SIGNS[result.state]
        out.print(Text(f"{sign:<8}", style=colour), Text(f"{result.name:<12}{visible(result.text)}"), sep="")
        if result.fix:
            out.print(Text(f"{'':<20}-> {visible(result.fix)}"))


def _today(given: GlobalOptions) -> Today | None:
    """What the workspace has spent today; None where there is no workspace yet, or its store cannot be read."""
    from metier.context.models.spending import spent_today
    from metier.errors import ConfigError, StoreError
    from metier.workspace import Workspace

    try:
        with Workspace.open(given.folder, create=False, flags=given.flags) as ws:
            if ws.context.lost:
                talk(ws.context.loss_text)
            return spent_today(ws.context)
    except (ConfigError, StoreError):
        return None


def _fields(today: Today, limits: Limits) -> dict[str, object]:
    cost = today.spent.cost_usd
    return {
        "day": today.day,
        "calls": today.spent.calls,
        "tokens": today.spent.tokens,
        "cost_usd": None if cost is None else float(cost),
        "known_usd": float(today.spent.usd),
        "unpriced": today.spent.unpriced,
        "pending": today.pending,
        "budget": {
            "calls": limits.calls,
            "tokens": limits.tokens,
            "usd": None if limits.usd is None else float(limits.usd),
        },
    }
