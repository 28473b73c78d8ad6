"""`metier import`: the runs of agents that work on this machine already."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from metier.capture.registry import BUILT_IN
from metier.cli.options import AsJson, Yes, environ_of, open_workspace, options
from metier.cli.output import console, emit, say_if_slow, show_progress, table, talk
from metier.errors import InputError, RefusedError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from metier.capture.find_sessions import SourceSessions
    from metier.capture.report import FileReport
    from metier.events import Event
    from metier.learning.moving_in import MovedIn
    from metier.training.service.skillopt_import import ImportedRun
    from metier.workspace import Workspace

    Import = Callable[[Workspace, list[FileReport]], Iterator[Event]]

SKILLOPT = "skillopt"
"""No agent with sessions: a trainer, whose run folder holds a skill."""
OUTCOMES = ("accepted", "rejected", "skipped")
PICOCLAW = "picoclaw"
SourceArgument = Annotated[
    str,
    typer.Argument(
        metavar="[SOURCE]",
        help=f"{', '.join(BUILT_IN)}; skillopt for a run folder of its trainer.",
    ),
]
PathsArgument = Annotated[
    list[str] | None, typer.Argument(metavar="[PATH]...", help="Session files, or folders that contain them.")
]
NewName = Annotated[str, typer.Option("--as", metavar="NAME", help="What to call the skill of a skillopt run.")]
Everywhere = Annotated[bool, typer.Option("--everywhere", help="Also import sessions from other folders.")]


def import_(
    ctx: typer.Context,
    source: SourceArgument = "",
    paths: PathsArgument = None,
    everywhere: Everywhere = False,
    name: NewName = "",
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Import agents' sessions. Without a source, find the sessions on this machine and ask first.

    Each run is stored once: the same file again adds nothing, and a file that grew is read from where it ended.

    A run folder of SkillOpt's trainer becomes a draft of its best skill with all earlier ones as its history; what the
    trainer rejected is shown to the next `metier train` of that skill.

    From a state folder of PicoClaw's evolution, earlier texts of skills, profiles and open drafts are taken over, too.

    Example:  metier import claude-code ~/.claude/projects/-home-ann-shop
    """
    if source == SKILLOPT:
        _import_skillopt(ctx, paths or [], name, as_json=as_json)
    reports: list[FileReport] = []
    chosen = _import_of(source, paths or []) if source else _import_of_machine(ctx, everywhere=everywhere, yes=yes)
    with open_workspace(ctx, create=True) as ws:
        show_progress(chosen(ws, reports))
        moved = _move_in(ws, paths or []) if source == PICOCLAW else []
        show_progress(ws.index())
        show_progress(ws.tidy())
    if as_json:
        from metier.capture.report import totals_of

        emit(totals_of(reports) | ({"history": _history_document(moved)} if moved else {}))
    else:
        _print_reports(reports)
        _print_history(moved)
    raise typer.Exit(1 if any(report.state == "unreadable" for report in reports) else 0)


def _import_of(name: str, paths: Sequence[str]) -> Import:
    """The import of what a person named, looked at before a workspace is made for it."""
    from metier.capture import registry
    from metier.capture.find_sessions import NamedSessions, find_named_sessions
    from metier.capture.import_sessions import import_sessions
    from metier.capture.others.evolution_state import state_folders
    from metier.capture.report import report_unreadable

    source = registry.find_source(name)
    if not paths:
        raise UsageError(f"Give the files or folders: metier import {name} PATH… (`metier import` alone finds them).")
    try:
        with say_if_slow(f"Looking for {source.title} sessions …"):
            found = find_named_sessions(source, paths)
    except InputError:
        if name != PICOCLAW or not state_folders(paths):
            raise
        found = NamedSessions(sessions=())

    def run(ws: Workspace, reports: list[FileReport]) -> Iterator[Event]:
        reports += [report_unreadable(error, source) for error in found.unreadable]
        return import_sessions(ws.context, source, found.sessions, reports)

    return run


def _move_in(ws: Workspace, paths: Sequence[str]) -> list[MovedIn]:
    """Take over what the evolution state folders of PicoClaw hold besides records."""
    from metier.capture.others.evolution_state import read_state, state_folders
    from metier.learning.moving_in import move_in

    return [move_in(ws.library, read_state(folder)) for folder in state_folders(paths)]


def _history_document(moved: Sequence[MovedIn]) -> dict[str, object]:
    from metier.cli.views.drafts import row

    return {
        "versions": [
            {"skill": one.skill, "version": one.number, "created": one.created, "summary": one.summary}
            for done in moved
            for one in done.versions
        ],
        "profiles": [name for done in moved for name in done.profiles],
        "drafts": [row(one) for done in moved for one in done.drafts],
        "left": [{"what": what, "reason": reason} for done in moved for what, reason in done.left],
    }


def _print_history(moved: Sequence[MovedIn]) -> None:
    for done in moved:
        skills = dict.fromkeys(one.skill for one in done.versions)
        for skill in skills:
            count = sum(one.skill == skill for one in done.versions)
            talk(f"Took over {count} versions of {skill}. See them: metier skills history {skill}")
        for draft in done.drafts:
            talk(f"Took over a draft for {draft.target} ({draft.status}). Look at it: metier drafts show {draft.id}")
        for what, reason in done.left:
            talk(f"Left out {what}: {reason}.")


def _import_of_machine(ctx: typer.Context, *, everywhere: bool, yes: bool) -> Import:
    """The import of what agents wrote on this machine, found and agreed to before a workspace is made for it."""
    import os

    from metier.capture.find_sessions import find_local_sessions
    from metier.capture.import_sessions import import_sessions
    from metier.context.state_folder import planned_root, state_home

    given = options(ctx)
    root = planned_root(given.folder, state_home(os.environ), os.environ)
    groups = list(find_local_sessions(root, environ_of(ctx), everywhere=everywhere))
    if not groups:
        where = "on this machine" if everywhere else f"for {root}. Look in other folders: metier import --everywhere"
        raise RefusedError(f"No sessions found {where}. Or give a file: metier import SOURCE PATH")
    _ask(groups, yes=yes)

    def run(ws: Workspace, reports: list[FileReport]) -> Iterator[Event]:
        for group in groups:
            yield from import_sessions(ws.context, group.source, group.sessions, reports)

    return run


def _ask(groups: Sequence[SourceSessions], *, yes: bool) -> None:
    for group in groups:
        note = "" if group.source.proven else " (not tested with real sessions)"
        count = f"{len(group.sessions)} session{'' if len(group.sessions) == 1 else 's'}"
        talk(f"{group.source.title}{note}: {count}, {group.size / 2**20:.1f} MB")
    if yes:
        return
    if not sys.stdin.isatty():
        raise UsageError("Importing needs a confirmation, and there is no terminal to ask on. Add --yes.")
    if not typer.confirm("Import them into this workspace? Secrets are redacted.", default=True, err=True):
        raise RefusedError("Nothing was imported.")


def _print_reports(reports: Sequence[FileReport]) -> None:
    rows = [
        (
            Path(report.file).name,
            report.state,
            str(report.runs),
            str(report.new),
            str(report.updated),
            str(len(report.skipped)),
            f"{report.tokens.input + report.tokens.output:,}",
        )
        for report in reports
        if report.state != "unchanged"
    ]
    known = len(reports) - len(rows)
    if known:
        talk(f"{known} file{'' if known == 1 else 's'} unchanged since the last import.")
    if rows:
        console().print(table(("file", "status", "runs", "new", "updated", "skipped", "tokens"), rows, grow="file"))
    _print_skipped(reports)
    _print_result(sum(report.new for report in reports), sum(report.updated for report in reports))


def _print_skipped(reports: Sequence[FileReport]) -> None:
    from metier.cli.views.left_out import INCLUDE, left_out_text

    skipped = [(report.file, one) for report in reports for one in report.skipped if not one.setting]
    for file, one in skipped[:10]:
        talk(f"Skipped {Path(one.file or file).name}{f':{one.line}' if one.line else ''}: {one.reason}")
    if len(skipped) > 10:
        talk(f"{len(skipped) - 10} more skipped; --json lists them all.")
    left_out = sum(any(one.setting for one in report.skipped) for report in reports)
    if left_out:
        talk(f"Skipped {left_out_text(left_out)}. To import such sessions, too: {INCLUDE}, then metier import")


def _print_result(new: int, updated: int) -> None:
    if not new:
        talk(f"No new runs, {updated} updated. See them: metier runs list" if updated else "No new runs.")
        return
    talk(
        f"Imported {new} new run{'' if new == 1 else 's'}. See them: metier runs list. "
        "Undo: metier runs purge --session NAME, or metier runs delete ID"
    )


def _import_skillopt(ctx: typer.Context, paths: Sequence[str], name: str, *, as_json: bool) -> NoReturn:
    """Take over one run folder; exits with 1 if review quarantines its skill."""
    from pathlib import Path

    from metier.training.service.skillopt_import import import_skillopt_run

    if len(paths) != 1:
        raise UsageError("Give one run folder: metier import skillopt FOLDER [--as NAME].")
    with open_workspace(ctx, create=True) as ws:
        done = import_skillopt_run(ws.library, Path(paths[0]).expanduser(), name)
    if as_json:
        emit(_run_document(done))
    else:
        _print_run(done)
    raise typer.Exit(1 if done.draft and done.draft.status == "quarantined" else 0)


def _run_document(done: ImportedRun) -> dict[str, object]:
    from metier.cli.views.drafts import row

    return {
        "skill": done.skill,
        "training": done.training,
        "steps": {word: done.steps[word] for word in OUTCOMES},
        "rejected_edits": len(done.rejected),
        "draft": row(done.draft) if done.draft else None,
    }


def _print_run(done: ImportedRun) -> None:
    from metier.cli.views.drafts import ship_words
    from metier.text.counts import plural

    draft, training = done.draft, done.training[:8]
    counts = ", ".join(f"{done.steps[word]} {word}" for word in OUTCOMES)
    talk(f"Read {plural(done.steps.total(), 'step')}: {counts}. Look at them: metier train show {training}")
    talk(f"The next training of {done.skill} is told about {plural(len(done.rejected), 'rejected edit')}.")
    if draft is None:
        talk(f"{done.skill} is the same already. Undo: metier train forget {training}")
        return
    talk(f"Saved as draft {draft.id} ({draft.status}): {draft.target}, {plural(len(draft.findings), 'finding')}.")
    for note in draft.notes:
        talk(f"  note:  {note}")
    talk(f"  look:  metier drafts show {draft.id}, metier drafts diff {draft.id}")
    talk(f"  ship:  {ship_words(draft)}")
    talk(f"  undo:  metier drafts reject {draft.id}, metier train forget {training}")
