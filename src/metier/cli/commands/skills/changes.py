"""`metier skills edit, rollback, archive, restore, pin, unpin, gc`: change a skill, each with its undo."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from metier.cli.commands.skills.history import SkillArgument  # noqa: TC001 - typer reads it at run time
from metier.cli.options import AsJson, open_workspace, options, prepare_hooks
from metier.cli.output import emit, talk
from metier.cli.yes import deciding

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from metier.library.proposals.edit_skill import EditedFile
    from metier.skills.editing.patch_json import ProposedPatch
    from metier.types.skills import Version

TakeOver = Annotated[bool, typer.Option("--take-over", help="Do it even if it takes requests from other skills.")]
ReasonOption = Annotated[str, typer.Option("--reason", help="Why; goes into the history.")]


def edit(
    ctx: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help="A SKILL.md, or any other text file.")],
    patch: Annotated[str, typer.Option("--patch", metavar="P.json", help="The patch; - reads it from standard input.")],
    strict: Annotated[
        bool, typer.Option("--strict", help="Never guess where an edit goes; exit with 1 if one was not made.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would happen.")] = False,
    take_over: TakeOver = False,
    as_json: AsJson = False,
) -> None:
    """Apply a patch to a file. A skill of the workspace gets a new, reviewed version; other files are just written.

    Example:  metier skills edit .agents/skills/deploy/SKILL.md --patch fix.json --dry-run
    """
    from pathlib import Path

    from metier.skills.editing.reports import dump_report

    path = Path(file).expanduser().absolute()
    again = "" if take_over else f"metier skills edit {file} --patch {patch} --take-over"
    done, said = _apply_patch(ctx, path, _read_patch(patch), again, strict=strict, dry_run=dry_run)
    _print_notes(said, as_json=as_json)
    if as_json:
        text = done.document.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        version = {"version": done.version.number, "hash": done.version.hash} if done.version else {}
        emit({"document": text, "reports": [dump_report(one) for one in done.reports]} | version)
    else:
        for report in done.reports:
            talk(f"{report.index:>3} {report.op or 'edit':<13} {report.status} {report.error}".rstrip())
        talk(_edit_summary(path, done, dry_run=dry_run))
    raise typer.Exit(1 if strict and not all(report.applied for report in done.reports) else 0)


def rollback(
    ctx: typer.Context,
    skill: SkillArgument,
    to: Annotated[
        int | None, typer.Option("--to", min=1, help="The version to bring back; default: the previous one.")
    ] = None,
    reason: ReasonOption = "",
    take_over: TakeOver = False,
) -> None:
    """Bring back an earlier version of a skill. The newer one stays in the history.

    Needs a terminal; programs use ws.rollback().

    Example:  metier skills rollback deploy --to 3
    """
    from metier.library.changes import rollback_skill as back
    from metier.proof.routing import TakeoverCheck

    again = f"metier skills rollback {skill}{f' --to {to}' if to else ''} --take-over"
    with deciding(), open_workspace(ctx) as ws:
        check = TakeoverCheck(ws.library, "" if take_over else again)
        version = back(ws.library, skill, to, reason, check)
        prepare_hooks(ws)
    _print_notes(check.said, as_json=False)
    talk(f"{skill} is {version.summary} (saved as v{version.number}). Undo: metier skills rollback {skill}")


def archive(ctx: typer.Context, skill: SkillArgument, reason: ReasonOption = "", as_json: AsJson = False) -> None:
    """Hide a skill from all agents. All its versions are kept.

    Example:  metier skills archive deploy --reason "we moved to another host"
    """
    from metier.library.changes import archive_skill as out

    with open_workspace(ctx) as ws:
        version = out(ws.library, skill, reason)
    _print_version(
        version, f"Archived {skill} (v{version.number}). Undo: metier skills restore {skill}", as_json=as_json
    )


def restore(
    ctx: typer.Context,
    skill: SkillArgument,
    reason: ReasonOption = "",
    take_over: TakeOver = False,
    as_json: AsJson = False,
) -> None:
    """Bring back a skill that was archived or deleted, by Metier or by hand.

    Example:  metier skills restore deploy
    """
    from metier.library.changes import restore_skill as back
    from metier.proof.routing import TakeoverCheck

    with open_workspace(ctx) as ws:
        check = TakeoverCheck(ws.library, "" if take_over else f"metier skills restore {skill} --take-over")
        version = back(ws.library, skill, reason, check)
        prepare_hooks(ws)
    _print_notes(check.said, as_json=as_json)
    _print_version(
        version, f"Restored {skill} (v{version.number}). Undo: metier skills archive {skill}", as_json=as_json
    )


def pin(ctx: typer.Context, skill: SkillArgument, as_json: AsJson = False) -> None:
    """Protect a skill from aging: it never goes cold and is never archived.

    Example:  metier skills pin deploy
    """
    _pin(ctx, skill, pinned=True, as_json=as_json)


def unpin(ctx: typer.Context, skill: SkillArgument, as_json: AsJson = False) -> None:
    """Let a pinned skill age again.

    Example:  metier skills unpin deploy
    """
    _pin(ctx, skill, pinned=False, as_json=as_json)


def gc(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Free disk space that no version and no draft needs.

    No version is ever removed.

    Example:  metier skills gc
    """
    from metier.library.proposals.garbage import collect_garbage

    with open_workspace(ctx) as ws:
        freed = collect_garbage(ws.library)
    if as_json:
        emit({"freed_bytes": freed})
    else:
        talk(f"Freed {freed:,} bytes. All versions are still there.")


def age(
    ctx: typer.Context,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would happen.")] = False,
    as_json: AsJson = False,
) -> None:
    """Age unused skills by one step: cold, archived, deleted. Skills that you made or pinned don't age.

    Every step is a version and can be undone.

    Example:  metier skills age --dry-run
    """
    from metier.library.aging import age_skills as take

    with open_workspace(ctx) as ws:
        done = take(ws.library, dry_run=dry_run)
    if as_json:
        steps = [{"skill": one.profile.skill, "to": one.to, "reason": one.reason} for one in done.steps]
        emit({"evaluated": done.evaluated, "transitioned": len(steps), "deleted": done.deleted, "steps": steps})
        return
    for step in done.steps:
        name = step.profile.skill
        undo = "" if dry_run else f" Undo: metier skills restore {name}"
        talk(f"{name} {'would be' if dry_run else 'is now'} {step.to}: {step.reason}.{undo}")
    for skill in done.woken:
        talk(f"{skill} is active again: it was used while it was archived. Undo: metier skills archive {skill}")
    talk(f"Checked {done.evaluated} skills: {len(done.steps)} {'would change' if dry_run else 'changed'}.")


COMMANDS: dict[str, Callable[..., None]] = {
    "edit": edit,
    "rollback": rollback,
    "archive": archive,
    "restore": restore,
    "pin": pin,
    "unpin": unpin,
    "age": age,
    "gc": gc,
}


def _pin(ctx: typer.Context, skill: str, *, pinned: bool, as_json: bool) -> None:
    from metier.library.changes import pin_skill as put

    with open_workspace(ctx) as ws:
        version = put(ws.library, skill, pinned=pinned)
    done, undo = ("Pinned", "unpin") if pinned else ("Unpinned", "pin")
    _print_version(version, f"{done} {skill}. Undo: metier skills {undo} {skill}", as_json=as_json)


def _print_notes(said: Sequence[str], *, as_json: bool) -> None:
    for line in said if not as_json else ():
        talk(f"Note: {line}.")


def _print_version(version: Version, text: str, *, as_json: bool) -> None:
    if as_json:
        parts = ("skill", "root", "action", "status", "origin", "hash", "summary", "created")
        emit({"version": version.number} | {part: getattr(version, part) for part in parts})
    else:
        talk(text)


def _read_patch(name: str) -> ProposedPatch:
    import sys
    from pathlib import Path

    from metier.errors import InputError
    from metier.skills.editing.patch_json import parse_patch

    if name == "-":
        return parse_patch(sys.stdin.buffer.read())
    try:
        return parse_patch(Path(name).expanduser().read_bytes())
    except OSError as error:
        raise InputError(f"Cannot read the patch {name}: {error.strerror}.") from None


def _apply_patch(
    ctx: typer.Context, path: Path, patch: ProposedPatch, again: str, *, strict: bool, dry_run: bool
) -> tuple[EditedFile, Sequence[str]]:
    """The file after the patch, and what the routing check says."""
    from pathlib import Path

    from metier.cli.options import workspace_of
    from metier.folders import refuse_links
    from metier.library.proposals.edit_skill import EditOptions, edit_file, edit_in_root
    from metier.proof.routing import TakeoverCheck

    given = options(ctx)
    ws = workspace_of(path, given.folder, given.flags)
    if ws is None:
        refuse_links(Path(given.folder), path)
        return edit_file(path, patch, strict=strict, dry_run=dry_run), ()
    with ws:
        check = TakeoverCheck(ws.library, again)
        done = edit_in_root(ws.library, path, patch, EditOptions(strict=strict, dry_run=dry_run, check=check))
    return done, check.said


def _edit_summary(path: Path, done: EditedFile, *, dry_run: bool) -> str:
    made = sum(report.applied for report in done.reports)
    count = f"{made} of {len(done.reports)} edits"
    if dry_run:
        return f"Would make {count}. Nothing was changed."
    if done.version:
        skill = done.version.skill
        return f"Made {count}: {skill} is now v{done.version.number}. Undo: metier skills rollback {skill}"
    return f"Made {count} in {path}."
