"""`metier config`: the settings, where each comes from, and how to change one."""

from __future__ import annotations

import os
from typing import Annotated, cast

import typer

from metier.cli.commands.models import allow_sending
from metier.cli.options import AsJson, ShowByDefault, open_workspace, options
from metier.cli.output import console, emit, table, talk
from metier.config.safe_values import safe_setting

app = typer.Typer(cls=ShowByDefault, add_completion=False, rich_markup_mode=None)
Name = Annotated[str, typer.Argument(metavar="NAME", help="The setting, for example mode.")]
NewValue = Annotated[str, typer.Argument(metavar="VALUE", help="Its value; commas between the parts of a list.")]
CONSENT = "send_sessions"
"""The word under which a yes to sending text of sessions is set; it is kept in the store, not in a settings file."""
Everywhere = Annotated[bool, typer.Option("--user", help="For all your workspaces, not for this one alone.")]


@app.callback()
def config() -> None:
    """Show every setting and where it comes from; change one with `set` and `unset`."""


@app.command()
def show(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Show every setting, its value, and where the value comes from.

    Example:  METIER_MODE=draft metier --set min_runs=3 config
    """
    from metier.context.context import settings_for

    settings = settings_for(options(ctx).folder, options(ctx).flags, os.environ)
    values = settings.config.flat()
    rows = [(name, values[name], source) for name, source in settings.sources.items()]
    if as_json:
        emit({name: {"value": safe_setting(name, value), "from": source} for name, value, source in rows})
    else:
        shown = [(name, _text(safe_setting(name, value)), source) for name, value, source in rows]
        console().print(table(("setting", "value", "from"), shown, grow="from"))


@app.command("set")
def set_(ctx: typer.Context, name: Name, value: NewValue, user: Everywhere = False, as_json: AsJson = False) -> None:
    """Change a setting of this workspace, or with --user of all your workspaces.

    No file of a project is a setting: those of one workspace lie in its state folder (metier where), those of all in
    ~/.config/metier/metier.toml.

    `send_sessions PROVIDER` asks whether text of this project's sessions may go there, as `metier models allow` does.

    Example:  metier config set mode draft
    """
    from metier.config import parse_setting
    from metier.models.builder import model_settings

    if name == CONSENT and value.strip().lower() not in ("false", "no", "off", "0"):
        allowed = allow_sending(ctx, value, is_quiet=as_json)
        if as_json:
            emit({"setting": name, "value": allowed["provider"]})
        return
    if name == CONSENT:
        _withdraw(ctx, as_json=as_json)
        return
    found = parse_setting(name, value, "this command")
    if name in ("model", "embed_model"):
        model_settings({name: found}, {name: "this command"})
    _change(ctx, name, found, user=user, as_json=as_json)


@app.command()
def unset(ctx: typer.Context, name: Name, user: Everywhere = False, as_json: AsJson = False) -> None:
    """Take a setting out of the file that `metier config set` writes it to.

    Example:  metier config unset mode
    """
    from metier.config import PARSERS, parse_setting

    if name == CONSENT:
        _withdraw(ctx, as_json=as_json)
        return
    if name not in PARSERS:
        parse_setting(name, "", "this command")
    _change(ctx, name, None, user=user, as_json=as_json)


def _withdraw(ctx: typer.Context, *, as_json: bool) -> None:
    """Take back every yes to sending text of sessions from this project."""
    from metier.context.models.consent import withdraw_consent

    with open_workspace(ctx) as ws:
        gone = [one.provider for one in withdraw_consent(ws.context)]
    if as_json:
        emit({"setting": CONSENT, "value": None, "before": gone})
        return
    said = f"Text of this project's sessions no longer goes to {', '.join(gone)}." if gone else "There was no consent."
    talk(f"{said} What was sent cannot be recalled. Undo: metier models allow PROVIDER")


def _change(ctx: typer.Context, name: str, value: object, *, user: bool, as_json: bool) -> None:
    from metier.config import FILE, user_file
    from metier.config.files import change_file, read_file
    from metier.context.context import find_workspace

    file = user_file(os.environ) if user else find_workspace(options(ctx).folder, os.environ).state / FILE
    before = read_file(file).get(name)
    change_file(file, name, value)
    if as_json:
        emit({"setting": name, "value": safe_setting(name, value), "file": str(file)})
        return
    talk(f"{'Took out' if value is None else 'Set'} {name} in {file}.")
    talk(f"Undo: metier config {_undo(name, before, user=user)}")


def _undo(name: str, before: object, *, user: bool) -> str:
    from shlex import quote

    scope = " --user" if user else ""
    if before is None:
        return f"unset {name}{scope}"
    parts = _parts(before)
    said = str(before).lower() if isinstance(before, bool) else ",".join(parts) if parts else str(before)
    return f"set {name} {quote(said)}{scope}"


def _parts(value: object) -> list[str]:
    return [str(one) for one in cast("list[object]", value)] if isinstance(value, (list, tuple)) else []


def _text(value: object) -> str:
    import json

    return json.dumps(value, ensure_ascii=False)
