"""What every command shares: the global options, and the options that recur."""

from __future__ import annotations

import os
import signal
import threading
from contextlib import contextmanager, suppress
from dataclasses import MISSING, dataclass, fields, replace
from inspect import Parameter, Signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, cast, get_type_hints

import typer
from typer.core import TyperGroup

from metier.errors import ConfigError, StoreError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence

    from typer._click import Context

    from metier.fleet.rollout_asks import FleetRollouts
    from metier.training.service.order import Order
    from metier.workspace import Workspace

T = TypeVar("T")
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as one JSON document.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Don't ask for confirmation.")]


OTHER_SESSIONS = ("CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_THREAD_ID", "COPILOT_CLI")
"""Variables of commands that Codex and Copilot run."""


def _named_agents(ctx: typer.Context, param: typer.CallbackParam, value: str) -> str:
    """The agents as they were named; naming none of them is not naming them all."""
    source = ctx.get_parameter_source(param.name or "")
    if not value.strip(" ,") and source is not None and source.name == "COMMANDLINE":
        raise UsageError("--agents names no agent. Name one, such as claude-code, or leave it out: all that are found.")
    return value


Agents = Annotated[
    str,
    typer.Option(
        callback=_named_agents,
        metavar="A,B",
        help="Only these agents: claude-code, codex, copilot. Default: all that are found.",
    ),
]
Login = Annotated[
    bool,
    typer.Option(
        "--login", help="Give the agent your own login (and settings) for the time of each rollout; it can read them."
    ),
]
Fleet = Annotated[bool, typer.Option("--fleet", help="Let the workers of this store make the rollouts.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show every change, and change nothing.")]
Limit = Annotated[int, typer.Option("--limit", "-n", min=1, max=100_000, help="Show at most this many.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class GlobalOptions:
    """The global options."""

    folder: str
    flags: Mapping[str, object]


def parse_flags(pairs: Sequence[str]) -> dict[str, object]:
    """`--set name=value` options as settings."""
    flags: dict[str, object] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            raise ConfigError(f"--set needs NAME=VALUE, for example --set mode=draft; got '{pair}'.")
        flags[name.strip()] = value
    return flags


def options_from(kind: type[T]) -> Callable[[Callable[[typer.Context, T], None]], Callable[..., None]]:
    """A command whose options are the fields of a dataclass, in their order: one value instead of many parameters."""

    def wrap(function: Callable[[typer.Context, T], None]) -> Callable[..., None]:
        hints = get_type_hints(kind, include_extras=True)
        parameters = [Parameter("ctx", Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)]
        for one in fields(cast("Any", kind)):
            default = Parameter.empty if one.default is MISSING else one.default
            parameters.append(
                Parameter(one.name, Parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=hints[one.name])
            )

        def command(ctx: typer.Context, **given: object) -> None:
            function(ctx, kind(**given))

        command.__name__, command.__doc__ = function.__name__, function.__doc__
        command.__annotations__ = {one.name: one.annotation for one in parameters}
        cast("Any", command).__signature__ = Signature(parameters)
        return command

    return wrap


def options(ctx: typer.Context) -> GlobalOptions:
    """The global options of this call."""
    return cast("GlobalOptions", ctx.find_root().obj)


def environ_of(ctx: typer.Context) -> dict[str, str]:
    """The environment of this call, with the settings of `--set` as variables."""
    from metier.config import variable

    return os.environ | {variable(name): str(value) for name, value in options(ctx).flags.items()}


def open_workspace(
    ctx: typer.Context, *, create: bool = False, refuses_off: bool = False, mends_loss: bool = False
) -> Workspace:
    """The workspace of this call; `create`: for commands that record.

    `refuses_off`: the command itself says "off"; `mends_loss`: it is about a database that was lost.
    """
    from metier.cli.output import talk
    from metier.config.switch import off_text
    from metier.workspace import Workspace

    given = options(ctx)
    ws = Workspace.open(given.folder, create=create, flags=given.flags)
    off = "" if refuses_off else off_text(ws.context.settings)
    for line in filter(None, ("" if mends_loss else ws.context.loss_text, off)):
        talk(line)
    with suppress(StoreError):  # what hooks pointed at waits for the next command
        for line in ws.read_waiting():
            talk(f"Skipped {line}. It is not tried again. If it is yours: metier import SOURCE PATH")
    return ws


def with_login(target: str, *, login: bool) -> str:
    """The target of a command, with the person's own login if they want that."""
    if login and not target.startswith("agent="):
        raise UsageError("--login is for an agent: add --target agent=claude-code, or leave --login out.")
    return f"{target} --login" if login else target


def with_workers(ws: Workspace, order: Order, workers: int | None, *, fleet: bool) -> Order:
    """The order with so many rollouts side by side, here or on a fleet."""
    if not fleet:
        return replace(order, workers=workers or order.workers)
    from metier.fleet.rollout_asks import WIDTH

    return replace(order, workers=workers or WIDTH, elsewhere=fleet_of(ws))


def fleet_of(ws: Workspace) -> FleetRollouts:
    """What makes rollouts on the workers of this store; says so if there is none."""
    from metier.cli.output import talk
    from metier.fleet.rollout_asks import FleetRollouts

    found = FleetRollouts(ws.context)
    if not found.workers():
        talk("No worker is running: this waits until one does. Start one: metier worker")
    return found


def tell_budget(ws: Workspace, *named: str) -> None:
    """Say what may be spent, before a model is asked; `named`: models and targets of the command itself."""
    from metier.cli.output import talk
    from metier.context.models.access import budget_line

    line = budget_line(ws.context, [_model_of(one) for one in named])
    if line:
        talk(line)


def _model_of(text: str) -> str:
    """The model that a text names as itself or as a target; empty: the one that is set, if any."""
    kind, _, name = text.partition("=")
    if kind in ("chat", "completion", "agent"):
        return name
    return "" if kind in ("command", "python") else text


def prepare_hooks(ws: Workspace) -> None:
    """Index and check the skills that are new, so that a selection is quick and hooks can hand them out."""
    from metier.cli.output import show_progress

    with suppress(StoreError):  # the next command tries again
        show_progress(ws.index_skills())


def confirm(question: str, *, yes: bool) -> None:
    """Ask before what cannot be undone; without a person to ask, refuse."""
    import sys

    from metier.errors import RefusedError

    if yes:
        return
    if not sys.stdin.isatty():
        raise UsageError("This needs a confirmation, and there is no terminal to ask on. Add --yes.")
    if not typer.confirm(question, err=True):
        raise RefusedError("Nothing was changed.")


def confirm_in_terminal(question: str) -> None:
    """Ask the person at a terminal of their own; no option, no variable and no agent says yes in their place."""
    import sys

    from metier.errors import RefusedError
    from metier.models.programs.agent_program import OF_A_SESSION

    inside = any(os.environ.get(name) for name in (*OF_A_SESSION, *OTHER_SESSIONS))
    if inside or not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise RefusedError("Only you can say yes to this, in a terminal that no agent opened. Nothing was changed.")
    if not typer.confirm(question, err=True):
        raise RefusedError("Nothing was changed.")


@contextmanager
def sigterm_as_interrupt() -> Generator[None]:
    """Take SIGTERM, which a service manager or a CI job's time limit sends, for Ctrl-C meanwhile."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


class RunByDefault(TyperGroup):
    """`metier train SKILL` is `metier train run SKILL`."""

    usual = "run"

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """The words as they are, with the usual command before what begins with none."""
        named = not args or args[0] in self.commands or args[0] in ("-h", "--help")
        return super().parse_args(ctx, args if named else [self.usual, *args])


class ServeByDefault(TyperGroup):
    """`metier serve` is `metier serve run`, also without a further word."""

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """The words as they are, with `run` before what begins with no command."""
        named = bool(args) and (args[0] in self.commands or args[0] in ("-h", "--help"))
        return super().parse_args(ctx, args if named else ["run", *args])


class ShowByDefault(TyperGroup):
    """`metier config` is `metier config show`."""

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """The words as they are, with `show` before what begins with no command."""
        named = bool(args) and (args[0] in self.commands or args[0] in ("-h", "--help"))
        return super().parse_args(ctx, args if named else ["show", *args])


class SkillByDefault(RunByDefault):
    """`metier eval SKILL` is `metier eval skill SKILL`."""

    usual = "skill"


def workspace_of(path: Path, folder: str, flags: Mapping[str, object]) -> Workspace | None:
    """The workspace whose skill roots hold a file; None if no root does, and then no database is opened."""
    from metier.context import state_folder
    from metier.context.context import settings_for
    from metier.library.proposals.edit_skill import is_inside
    from metier.library.roots import known_roots
    from metier.workspace import Workspace

    found = state_folder.find_place(folder, state_folder.state_home(os.environ))
    if found is None:
        return None
    extra = settings_for(folder, flags, os.environ).config.skill_roots
    home, claude = Path(os.environ.get("HOME") or "~").expanduser(), os.environ.get("CLAUDE_CONFIG_DIR", "")
    if not any(is_inside(path, one) for one in known_roots(found.root, home, extra, claude)):
        return None
    return Workspace.open(folder, create=False, flags=flags)
