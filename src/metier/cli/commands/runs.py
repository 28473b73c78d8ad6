"""`metier runs`: look at runs, judge them, remove them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from metier.cli.options import AsJson, Limit, Yes, confirm, open_workspace
from metier.cli.output import console, emit, show_progress, table, talk
from metier.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.learning.trace import Trail
    from metier.types import Record, Verdict
    from metier.workspace import Workspace

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    help="List, show, search, mark and delete runs.\n\nExample:  metier runs list --limit 20",
)
RunArgument = Annotated[str, typer.Argument(metavar="ID", help="A run's id, or the start of it.")]
MARKED = {"good": "successful", "bad": "failed"}
SIGNS = {True: "yes", False: "no", None: "?"}


@app.callback(invoke_without_command=True)
def runs(ctx: typer.Context) -> None:
    """List, show, search, mark and delete runs.

    Example:  metier runs list --limit 20
    """
    if ctx.invoked_subcommand is None:
        list_(ctx)


@app.command("list")
def list_(ctx: typer.Context, limit: Limit = 50, as_json: AsJson = False) -> None:
    """List the runs that came in last, by the time when they began.

    Example:  metier runs list --limit 20
    """
    with open_workspace(ctx) as ws:
        records = sorted(ws.runs(limit), key=lambda one: one.run.started or one.recorded, reverse=True)
        empty = "" if records else _no_runs_text(ws)
    _print(records, as_json=as_json, empty=empty)


def _no_runs_text(ws: Workspace) -> str:
    """What to do where nothing is recorded, and whether a setting is why."""
    from metier.cli.views.left_out import INCLUDE, left_out_text
    from metier.store.tables.runs.transcripts import count_left_out

    said = "No runs yet. Add some: metier import, or metier record. See an example: metier demo"
    with ws.context.store.read() as transaction:
        count = count_left_out(transaction)
    if not count or ws.config.record_headless:
        return said
    return f"{said}\nNot recorded: {left_out_text(count)}. To record such sessions, too: {INCLUDE}, then metier import"


@app.command()
def search(
    ctx: typer.Context,
    words: Annotated[
        list[str], typer.Argument(metavar="WORDS", help="Words that a run must contain; the start of a word is enough.")
    ],
    limit: Limit = 50,
    as_json: AsJson = False,
) -> None:
    """Find runs by words in the request, the answer, the tools and the skills.

    Example:  metier runs search flaky login
    """
    with open_workspace(ctx) as ws:
        show_progress(ws.index())
        records = ws.search(" ".join(words), limit)
    _print(records, as_json=as_json, empty="No run contains all of these words.")


@app.command()
def show(
    ctx: typer.Context,
    run: RunArgument,
    every: Annotated[bool, typer.Option("--all", help="Show every step of a long run.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show one run: the request, each step, the answer, the skills, and what learning did with it.

    Example:  metier runs show 3f9a
    """
    from metier.cli.views.run import page
    from metier.learning.trace import trail
    from metier.library.delivery.told import told_in_run

    with open_workspace(ctx) as ws:
        record = ws.run(run)
        verdict, went = ws.verdict(record.id), trail(ws.context, record.id)
        told = told_in_run(ws.context, record)
    if as_json:
        from metier.formats.run_json import dump_run

        lessons = [{"id": one.lesson, "text": one.text, "how": one.how, "times": one.times} for one in told]
        parts = {"verdict": _verdict(verdict), "learning": _learning(went), "lessons_told": lessons}
        emit(_row(record) | {"run": dump_run(record.run)} | parts)
    else:
        console().print(page(record, verdict, went, told, every_step=every), soft_wrap=False)


@app.command()
def mark(
    ctx: typer.Context,
    run: RunArgument,
    verdict: Annotated[Literal["good", "bad", "unset"], typer.Argument(help="Your verdict; unset removes it.")],
    reason: Annotated[str, typer.Option(help="Why.")] = "",
    as_json: AsJson = False,
) -> None:
    """Mark a run as successful or failed. Your mark wins over every other verdict.

    Example:  metier runs mark 3f9a bad --reason "it deleted the test"
    """
    from metier.runs.verdicts import mark_run

    with open_workspace(ctx) as ws:
        before = ws.verdict(ws.run(run).id)
        record = mark_run(ws.context, run, verdict, reason)
    if as_json:
        emit(_row(record))
    else:
        talk(_mark_text(record, verdict, before))


@app.command()
def delete(
    ctx: typer.Context,
    runs: Annotated[list[str], typer.Argument(metavar="ID...", help="Ids, or the start of each.")],
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Delete runs permanently: from the store, the search index and the log.

    Only their ids are kept, so they are not imported again.

    Example:  metier runs delete 3f9a --yes
    """
    with open_workspace(ctx) as ws:
        ids = [ws.run(run).id for run in runs]
    _remove(ctx, ids, "removed by a person", yes=yes, as_json=as_json)


@app.command()
def purge(
    ctx: typer.Context,
    older_than: Annotated[
        int | None, typer.Option(min=0, max=36_500, metavar="DAYS", help="Runs recorded more than this many days ago.")
    ] = None,
    session: Annotated[str | None, typer.Option(help="All runs of this session.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="All runs of this workspace.")] = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Delete many runs permanently: by age, by session, or all.

    Example:  metier runs purge --older-than 90
    """
    from metier.maintenance.retention import runs_to_remove

    if sum((older_than is not None, session is not None, everything)) != 1:
        raise UsageError("Choose which runs: --older-than DAYS, --session NAME or --all.")
    with open_workspace(ctx) as ws:
        ids = runs_to_remove(ws.context, older_than=older_than, session=session)
    _remove(ctx, ids, "purged by a person", yes=yes, as_json=as_json)


@app.command()
def readmit(
    ctx: typer.Context,
    run: Annotated[str, typer.Argument(metavar="ID", help="The whole id of a deleted run.")],
    as_json: AsJson = False,
) -> None:
    """Allow a deleted run to be recorded again. Its text is gone until you import or record it again.

    Example:  metier runs readmit 3f9a0c5b7d2e4f61aa90bb12
    """
    from metier.maintenance.retention import readmit_run as allow

    with open_workspace(ctx) as ws:
        allow(ws.context, run)
    if as_json:
        emit({"readmitted": run})
    else:
        talk(f"Run {run} can be recorded again. Undo after that: metier runs delete {run[:8]}")


def _remove(ctx: typer.Context, ids: Sequence[str], reason: str, *, yes: bool, as_json: bool) -> None:
    from metier.maintenance.retention import remove_runs

    count = f"{len(ids)} run{'' if len(ids) == 1 else 's'}"
    if ids:
        confirm(f"Delete {count} permanently? This cannot be undone.", yes=yes)
        with open_workspace(ctx) as ws:
            show_progress(remove_runs(ws.context, ids, reason))
    if as_json:
        emit({"removed": list(ids)})
    elif ids:
        talk(f"Deleted {count} permanently. To allow one to be recorded again: metier runs readmit ID")
    else:
        talk("No run matches. Nothing was deleted.")


def _mark_text(record: Record, word: str, before: Verdict | None) -> str:
    """What a mark changed, and how to undo it."""
    short = record.id[:8]
    last = before.success if before and before.judge == "person" else None
    back = "unset" if last is None else "good" if last else "bad"
    said = f"Removed your mark from run {short}" if word == "unset" else f"Marked run {short} as {MARKED[word]}"
    return f"Run {short} has no mark." if back == word == "unset" else f"{said}. Undo: metier runs mark {short} {back}"


def _print(records: Sequence[Record], *, as_json: bool, empty: str) -> None:
    if as_json:
        emit([_row(record) for record in records])
    elif not records:
        talk(empty)
    else:
        rows = [
            (record.id[:8], _when(record), record.run.agent, SIGNS[record.success], record.summary, _skills(record))
            for record in records
        ]
        console().print(table(("id", "when", "agent", "ok", "request", "skills"), rows, grow="request"))


def _row(record: Record) -> dict[str, object]:
    from metier.runs.derive import excerpt_of

    run = record.run
    return {
        "id": record.id,
        "external_id": run.external_id,
        "session": run.session,
        "agent": run.agent,
        "source": run.source,
        "model": run.model,
        "status": run.status,
        "message": run.message,
        "summary": record.summary,
        "output": excerpt_of(run.output),
        "success": record.success,
        "started": run.started,
        "recorded": record.recorded,
        "skills_used": list(record.used),
        "state": record.state,
        "revision": record.revision,
    }


def _verdict(verdict: Verdict | None) -> dict[str, object] | None:
    from dataclasses import asdict

    return asdict(verdict) if verdict else None


def _learning(went: Trail) -> dict[str, object]:
    pattern = went.pattern
    return {
        "went": went.went,
        "reason": went.reason,
        "pattern": {"id": pattern.id, "label": pattern.label, "status": pattern.status} if pattern else None,
    }


def _when(record: Record) -> str:
    return (record.run.started or record.recorded)[:16].replace("T", " ")


def _skills(record: Record) -> str:
    names = ", ".join(record.used[:2])
    return names + (f" +{len(record.used) - 2}" if len(record.used) > 2 else "")
