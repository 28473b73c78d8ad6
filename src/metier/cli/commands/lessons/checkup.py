"""`metier checkup`: what the sessions on this machine already show."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from metier.cli.options import AsJson, environ_of, options
from metier.cli.output import emit, result_with_progress, say, talk
from metier.cli.program import install_words, program_words
from metier.errors import InputError


def checkup(
    ctx: typer.Context,
    folder: Annotated[
        str, typer.Argument(metavar="[FOLDER]", help="The project to look at; default: this folder.")
    ] = "",
    everywhere: Annotated[bool, typer.Option("--all", help="Look at the sessions of all folders.")] = False,
    as_json: AsJson = False,
) -> None:
    """Look at the sessions agents already wrote on this machine. It writes nothing, needs no workspace and no model.

    It takes 25 seconds at most, and shows the corrections you repeated, the errors that cost the most tries, the
    lines of CLAUDE.md and AGENTS.md that agents violated, what Metier would propose, and the skills that are there
    already with their review.

    Example:  metier checkup  ·  metier checkup ~/shop  ·  metier checkup --all
    """
    from metier.capture.find_sessions import count_left_out
    from metier.cli.views.checkup import document, page, skill_lines
    from metier.learning.stages.check_up import check_up

    root = Path(folder or options(ctx).folder).expanduser().absolute()
    if not root.is_dir():
        raise InputError(f"There is no folder {root}. Give the folder of a project: metier checkup FOLDER")
    environ = environ_of(ctx)
    found = result_with_progress(check_up(root, environ, everywhere=everywhere))
    by_programs = count_left_out(root, environ, everywhere=everywhere)
    if as_json:
        emit(document(found, by_programs))
        return
    if not found.sessions:
        for line in skill_lines(found):
            say(line.lstrip("\n"))
        _tell_nothing(root, by_programs, everywhere=everywhere)
        return
    for line in page(found):
        say(line)
    _tell_left_out(root, by_programs, everywhere=everywhere)
    first = f"{install}, then " if (install := install_words()) else ""
    goes_on = f"{first}in a project that has some, metier init --import"
    talk(f"Nothing was written. Keep learning from your sessions: {goes_on}")
    talk("Then see what it proposes: metier learn")


def _tell_left_out(root: Path, count: int, *, everywhere: bool) -> None:
    """Say how many sessions were left out because a program started them, and how to look at them, too."""
    from shlex import quote

    from metier.cli.views.left_out import left_out_text

    if count:
        where = "--all" if everywhere else quote(str(root))
        talk(f"Left out {left_out_text(count)}, because the setting record_headless is off.")
        talk(f"Look at such sessions, too: {program_words()} --set record_headless=true checkup {where}")


def _tell_nothing(root: Path, by_programs: int, *, everywhere: bool) -> None:
    """Say where sessions were looked for, and what to do now."""
    from metier.agents.places import places_of

    places = places_of(os.environ)
    where = f"{places.short(places.claude)}, {places.short(places.codex)} and the folders of other agents"
    what = "No session that a person started" if by_programs else "No sessions of an agent"
    talk(f"{what} {'on this machine' if everywhere else f'in {root}'}. Looked in {where}.")
    _tell_left_out(root, by_programs, everywhere=everywhere)
    if not everywhere:
        talk(f"Look at the sessions of all folders: {program_words()} checkup --all")
    talk(f"See what Metier does with two weeks of sessions: {program_words()} demo")
