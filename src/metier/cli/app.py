"""The root command: global options, and the table of commands."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Annotated

import typer
from typer._click.exceptions import ClickException, UsageError
from typer.core import TyperGroup

from metier.cli import forget_variables
from metier.cli.help import likeliest, with_whole_summaries, write_groups
from metier.cli.options import GlobalOptions, parse_flags
from metier.errors import MetierError, ReadOnlyError

if TYPE_CHECKING:
    from collections.abc import Callable

    from typer._click import Command, Context, HelpFormatter

INTERRUPTED = 130
"""What a shell calls a program that Ctrl-C ended."""
STOPPED = "Stopped."
SANDBOXES = {
    "CODEX_SANDBOX": "Codex",
    "CODEX_SANDBOX_NETWORK_DISABLED": "Codex",
    "CODEX_THREAD_ID": "Codex",
    "CLAUDECODE": "Claude Code",
    "COPILOT_CLI": "Copilot",
    "GEMINI_CLI": "Gemini CLI",
}
"""Variables that agents set for the commands they run."""
GOES_ON = f"{STOPPED} Everything saved so far is kept. Run the same command again to continue."
CONTINUED = ("record", "import", "learn", "watch", "train", "eval", "worker")
"""Commands that go on where they were stopped."""
COMMANDS = {
    "demo": "metier.cli.demo:demo",
    "init": "metier.cli.commands.setup.init:init",
    "uninit": "metier.cli.commands.setup.state:uninit",
    "status": "metier.cli.commands.status:status",
    "connect": "metier.cli.commands.setup.connect:connect",
    "disconnect": "metier.cli.commands.setup.connect:disconnect",
    "record": "metier.cli.commands.record:record",
    "import": "metier.cli.commands.import_:import_",
    "runs": "metier.cli.commands.runs",
    "learn": "metier.cli.commands.learn:learn",
    "watch": "metier.cli.commands.watch:watch",
    "ui": "metier.cli.commands.ui:ui",
    "serve": "metier.cli.commands.fleet.serve",
    "sync": "metier.cli.commands.fleet.sync:sync",
    "lessons": "metier.cli.commands.lessons",
    "checkup": "metier.cli.commands.lessons.checkup:checkup",
    "digest": "metier.cli.commands.lessons.digest:digest",
    "problems": "metier.cli.commands.lessons.problems:problems",
    "patterns": "metier.cli.commands.patterns",
    "skills": "metier.cli.commands.skills",
    "drafts": "metier.cli.commands.drafts",
    "review": "metier.cli.commands.review",
    "select": "metier.cli.commands.select:select",
    "mcp": "metier.cli.commands.mcp:mcp",
    "eval": "metier.cli.commands.eval",
    "trial": "metier.cli.commands.proof.trial",
    "cases": "metier.cli.commands.proof.cases",
    "train": "metier.cli.commands.train",
    "worker": "metier.cli.commands.fleet.worker:worker",
    "fleet": "metier.cli.commands.fleet",
    "store": "metier.cli.commands.fleet.store",
    "audit": "metier.cli.commands.audit",
    "models": "metier.cli.commands.models",
    "pause": "metier.cli.commands.setup.pause:pause",
    "resume": "metier.cli.commands.setup.pause:resume",
    "backup": "metier.cli.commands.setup.backup:backup",
    "restore": "metier.cli.commands.setup.backup:restore",
    "config": "metier.cli.commands.setup.config",
    "where": "metier.cli.commands.setup.state:where",
    "doctor": "metier.cli.commands.setup.state:doctor",
}
"""Each command and its `module:function`, or the module of its group; in the order people meet them."""


class StoppedError(MetierError):
    """A person stopped the command."""

    exit_code = INTERRUPTED


def stopped_words(command: str | None) -> str:
    """What to say of a command that was stopped."""
    return GOES_ON if command in CONTINUED else STOPPED


class LazyCommands(TyperGroup):
    """A group that loads a command's module only when the command is asked for."""

    def list_commands(self, ctx: Context) -> list[str]:
        """All commands, in the table's order."""
        return list(COMMANDS)

    def get_command(self, ctx: Context, cmd_name: str) -> Command | None:
        """The command of that name."""
        if cmd_name not in COMMANDS:
            return None
        module, _, function = COMMANDS[cmd_name].partition(":")
        found = import_module(module)
        command = typer.main.get_command(_single(getattr(found, function)) if function else found.app)
        command.name = cmd_name
        return with_whole_summaries(command)

    def invoke(self, ctx: Context) -> object:
        """Run the command; where a person stops it, say whether the same command goes on from there."""
        try:
            return super().invoke(ctx)
        except (KeyboardInterrupt, typer.Abort):
            raise StoppedError(stopped_words(ctx.invoked_subcommand)) from None
        except typer.Exit as end:
            if end.exit_code != INTERRUPTED:
                raise
            raise StoppedError(stopped_words(ctx.invoked_subcommand)) from None

    def format_commands(self, ctx: Context, formatter: HelpFormatter) -> None:
        """The commands in groups."""
        found = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        write_groups(formatter, [(name, command) for name, command in found if command is not None])

    def resolve_command(self, ctx: Context, args: list[str]) -> tuple[str | None, Command | None, list[str]]:
        """The command that was typed, or the one that was meant."""
        try:
            return super().resolve_command(ctx, args)
        except UsageError as error:
            error.message += likeliest(args[0], COMMANDS) if args and not args[0].startswith("-") else ""
            raise


def _single(function: Callable[..., None]) -> typer.Typer:
    """An application of one command."""
    made = typer.Typer(add_completion=False, rich_markup_mode=None)
    made.command()(function)
    return made


app = typer.Typer(
    cls=LazyCommands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:  # noqa: FBT001
    if wanted:
        from metier import __version__

        typer.echo(f"metier {__version__}")
        raise typer.Exit


@app.callback()
def root(
    ctx: typer.Context,
    workspace: Annotated[
        str, typer.Option("--workspace", "-w", metavar="DIR", help="Use the workspace of this folder.")
    ] = "",
    home: Annotated[str, typer.Option(metavar="DIR", help="Keep all state in this folder (same as METIER_HOME).")] = "",
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Change a setting for this command only; can be repeated."),
    ] = None,
    version: Annotated[  # noqa: ARG001
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Agents that learn their trade: record runs, learn skills, test them, undo any change.

    Example:  metier demo  ·  cd my-project && metier init && metier import  ·  metier runs list  ·  metier learn
    """
    if ctx.invoked_subcommand == "mcp":
        forget_variables()
    if home:
        os.environ["METIER_HOME"] = home
    _renew_python_note()
    flags = parse_flags(settings or [])
    if workspace:
        from pathlib import Path

        from metier.context.state_folder import check_folder

        check_folder(Path(workspace))
    ctx.obj = GlobalOptions(
        folder=workspace or os.environ.get("METIER_WORKSPACE") or ".",
        flags=flags,
    )


def _renew_python_note() -> None:
    """Let agents' hooks find this Python if the one that they know is gone."""
    from metier.hooks.places import USER, read_small, state_home

    home = os.environ.get("METIER_HOME") or state_home(os.environ)
    noted = read_small(f"{home}/{USER}/python").partition("\n")[0]
    if noted and not os.access(noted, os.X_OK):
        from metier.agents.connect import refresh_python_note
        from metier.agents.places import places_of

        refresh_python_note(places_of(os.environ))


def run() -> None:
    """Run the command line and turn errors into a line and an exit code."""
    if os.name != "posix":
        _fail("Metier runs on Linux and macOS. Windows is not supported yet; WSL works.", 2)
    _prepare_streams()
    try:
        code = app(standalone_mode=False)
        _finish_output()
        sys.exit(code if isinstance(code, int) else 0)
    except ReadOnlyError as error:
        _fail(_sandbox_text() or str(error), error.exit_code)
    except MetierError as error:
        _fail(str(error), error.exit_code)
    except ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        _fail(STOPPED, INTERRUPTED)
    except BrokenPipeError:
        _drop_output()
        sys.exit(0)
    except OSError as error:
        _drop_output()
        _fail(_system_error_text(error), 1)
    except UnicodeEncodeError:
        _fail("A word of this command holds bytes that are not text. Check what you typed.", 2)
    except Exception as error:  # noqa: BLE001 - the last line of defence against a traceback
        _fail(f"This is a bug in Metier, sorry: {type(error).__name__}: {error}{_place_of(error)}", 1)


def _sandbox_text() -> str:
    """What to do where an agent's sandbox keeps a command from writing; empty: no agent has started it."""
    agent = next((title for name, title in SANDBOXES.items() if os.environ.get(name)), "")
    return f"You are inside {agent}'s sandbox: ask through the metier tools or run this in a terminal." if agent else ""


def _prepare_streams() -> None:
    """Output that cannot fail: a closed stream leads nowhere, a character the terminal lacks is shown as its code."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _finish_output() -> None:
    """Print what is left; a command whose result cannot be printed has done its work all the same, and says so."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        _drop_output()
        _fail(f"The command succeeded, but its output could not be printed: {error.strerror or error}.", 1)


def _drop_output() -> None:
    """Let what is still to be written go nowhere, so that leaving cannot fail once more."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(text: str, code: int) -> None:
    from metier.cli.output import visible

    typer.echo(visible(f"metier: {text}").replace("\n", " "), err=True)
    sys.exit(code)


def _system_error_text(error: OSError) -> str:
    hint = " Check its owner and permissions." if isinstance(error, PermissionError) else ""
    return f"{error.filename or 'The system'}: {error.strerror or error}.{hint}"


def _place_of(error: BaseException) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return ""
    code = trace.tb_frame.f_code
    return f" ({os.path.basename(code.co_filename)}:{trace.tb_lineno}). Please report it with this line."  # noqa: PTH119
