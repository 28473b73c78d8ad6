"""`metier config`: the effective settings and where each came from."""

from __future__ import annotations

import typer

from metier.cli.options import AsJson, options
from metier.cli.output import console, emit, table

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def config(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Show every setting, its effective value, and where that came from.

    Example:  METIER_MODE=draft metier --set min_runs=3 config
    """
    import os
    from pathlib import Path

    from metier.config import load, outer_state_dir
    from metier.context import state_folder as place

    given = options(ctx)
    folder = Path(given.folder)
    shared = outer_state_dir(given.flags, os.environ)
    settings = load(place.find_root(folder, os.environ, shared) or folder.absolute(), given.flags)
    rows = [(name, getattr(settings.config, name), source) for name, source in settings.sources.items()]
    if as_json:
        emit({name: {"value": _safe(value), "from": source} for name, value, source in rows})
    else:
        shown = [(name, _text(_safe(value)), source) for name, value, source in rows]
        console().print(table(("setting", "value", "from"), shown, grow="from"))


def _safe(value: object) -> object:
    """A value to show: a database address without its password."""
    import re

    if isinstance(value, str) and "://" in value:
        return re.sub(r"(://[^:/@]*):[^@]*@", r"\1:…@", value)
    return list(value) if isinstance(value, tuple) else value  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]


def _text(value: object) -> str:
    import json

    return json.dumps(value, ensure_ascii=False)
