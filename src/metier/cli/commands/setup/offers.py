"""What `metier init` offers once agents are connected: their past sessions, their login as the model, your consent."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from metier.cli.commands.setup.connect import WITHOUT_AGENT
from metier.cli.output import talk
from metier.errors import RefusedError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.capture.find_sessions import SourceSessions
    from metier.capture.report import FileReport
    from metier.workspace import Workspace

Import = Annotated[bool, typer.Option("--import", help="Import the sessions that agents had in this folder before.")]
ModelName = Annotated[
    str, typer.Option("--model", metavar="MODEL", help="Set the model, such as claude-code:haiku: your agent's login.")
]
LOGINS = {"claude-code:haiku": ("Claude Code", "claude"), "codex:default": ("Codex", "codex")}
"""The models that need nothing but an agent's login: the agent, and its program."""
QUESTION, ANSWER = 2_000, 300
"""Tokens of a usual question of learning, and of its answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InitWishes:
    """What a person said yes to on the command line."""

    imports: bool = False
    model: str = ""

    def __post_init__(self) -> None:
        from metier.models.spec import parse_spec

        if self.model:
            parse_spec(self.model)  # a name that is none is told before anything is made


def offer_all(ctx: typer.Context, ws: Workspace, wishes: InitWishes, *, is_quiet: bool) -> dict[str, Any]:
    """Do what was wished for; on a terminal ask for the rest. Returns what was done, as JSON."""
    imported = _import(ctx, ws, wishes, is_quiet=is_quiet)
    model = wishes.model or ("" if is_quiet else _ask_for_model(ws))
    if wishes.model:
        _set_model(ws, model, is_quiet=is_quiet)
        if not is_quiet:
            talk(f"Nothing of your sessions is sent to {model} before you say yes: metier models allow")
    return {"imported": imported, "model": model or ws.config.models.model}


def _import(ctx: typer.Context, ws: Workspace, wishes: InitWishes, *, is_quiet: bool) -> dict[str, Any] | None:
    """Import the sessions that agents had in this folder before, if the person wants that."""
    from metier.capture.find_sessions import find_local_sessions
    from metier.cli.commands.import_ import import_

    if not wishes.imports:
        return None
    groups = list(find_local_sessions(ws.root, os.environ, everywhere=False))
    if is_quiet:
        return _import_quietly(ws, groups)
    if groups:
        with suppress(RefusedError, typer.Exit):
            import_(ctx, yes=True)
    else:
        talk("No earlier sessions were found in this folder.")
    return None


def _import_quietly(ws: Workspace, groups: Sequence[SourceSessions]) -> dict[str, Any]:
    from metier.capture.import_sessions import import_sessions
    from metier.capture.report import totals_of

    reports: list[FileReport] = []
    for group in groups:
        for _ in import_sessions(ws.context, group.source, group.sessions, reports):
            pass
    for work in (ws.index(), ws.tidy()):
        for _ in work:
            pass
    return totals_of(reports)


def _ask_for_model(ws: Workspace) -> str:
    """The model that the person chooses among those that need an agent's login only; empty: none.

    One question: its yes also lets text of this project's sessions go there, which is shown before.
    """
    from metier.cli.commands.models import show_sending
    from metier.cli.options import confirm_in_terminal
    from metier.context.models.consent import give_consent, recipient_of
    from metier.models.programs.agent_program import find_program
    from metier.models.spec import parse_spec

    found = [name for name, (_, program) in LOGINS.items() if find_program(program, os.environ)]
    if ws.config.models.model or not found or not sys.stdin.isatty():
        return ""
    name, to = found[0], recipient_of(parse_spec(found[0]))
    talk("Learning works without a model. With one it also finds the rules in what you say, and writes better skills.")
    talk(f"{LOGINS[name][0]} can answer with your own login ({name}): no key needed. {_cost_of(name, ws)}")
    show_sending(ws, to)
    try:
        confirm_in_terminal(f"Use {name} as the model of this workspace, and send it text of sessions for learning?")
    except RefusedError:
        talk(f"No model is set. Later: metier config set model {' or '.join(found)}")
        return ""
    _set_model(ws, name, is_quiet=False)
    give_consent(ws.context, to, "terminal")
    talk(f"Allowed for this project: {to.provider}. Undo: metier config unset send_sessions")
    return name


def _cost_of(name: str, ws: Workspace) -> str:
    """What one question costs, and what is the most in a day."""
    from datetime import UTC, datetime

    from metier.models.price import price_of
    from metier.models.spec import parse_spec
    from metier.types import Tokens

    cost = price_of(parse_spec(name), datetime.now(UTC))(Tokens(input=QUESTION, output=ANSWER))
    asked = f"A question takes about {QUESTION + ANSWER:,} tokens"
    if cost is None:
        return f"{asked}; what they cost depends on your plan."
    most = ws.config.models.budget_usd
    return f"{asked}, ${cost:.3f} at list price (a plan covers it), and at most ${most:g} a day (budget_usd)."


def _set_model(ws: Workspace, model: str, *, is_quiet: bool) -> None:
    from metier.config import FILE
    from metier.config.files import change_file

    change_file(ws.state / FILE, "model", model)
    if not is_quiet:
        talk(f"Set model to {model}. Try it: metier models check   Undo: metier config unset model")


def hint_of(wishes: InitWishes, *, is_connected: bool, has_agents: bool) -> str:
    """What to do next."""
    if not (is_connected or has_agents):
        return f"{WITHOUT_AGENT} Undo: metier uninit"
    if not is_connected:
        return "No agent is connected: metier connect. Or bring sessions in: metier import. Undo: metier uninit"
    past = "" if wishes.imports or sys.stdin.isatty() else " Past sessions: metier import."
    return f"Next: work with your agent, then metier learn.{past} Undo: metier uninit"
