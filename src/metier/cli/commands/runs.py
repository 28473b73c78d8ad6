"""`metier runs`: look at runs, judge them, remove them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from metier.cli.options import AsJson, Limit, Yes, confirm, opened
from metier.cli.output import console, emit, progress, table, talk
from metier.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.learning.trace import Trail
    from metier.types import Record

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    help="List, show, search, mark and remove runs.\n\nExample:  metier runs list --limit 20",
)
RunArgument = Annotated[str, typer.Argument(metavar="ID", help="A run's id, or the beginning of it.")]
SIGNS = {True: "yes", False: "no", None: "?"}


@app.command("list")
def list_(ctx: typer.Context, limit: Limit = 50, as_json: AsJson = False) -> None:
    """List the newest runs.

    Example:  metier runs list --limit 20
    """
    with opened(ctx) as ws:
        records = ws.runs(limit)
    _print(records, as_json=as_json, empty="No runs yet. Record one: metier record, or try: metier demo")


@app.command()
def search(
    ctx: typer.Context,
    words: Annotated[list[str], typer.Argument(metavar="WORDS", help="All of them, or words that begin so.")],
    limit: Limit = 50,
    as_json: AsJson = False,
) -> None:
    """Find runs by the words in request, answer, tools and skills.

    Example:  metier runs search flaky login
    """
    with opened(ctx) as ws:
        progress(ws.index())
        records = ws.search(" ".join(words), limit)
    _print(records, as_json=as_json, empty="No run holds all of these words.")


@app.command()
def show(
    ctx: typer.Context,
    run: RunArgument,
    every: Annotated[bool, typer.Option("--all", help="Every step of a long run.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show one run: the request, what was done step by step, the answer, the skills, and what learning made of it.

    Example:  metier runs show 3f9a
    """
    from metier.cli.views.run import page
    from metier.learning.trace import trail

    with opened(ctx) as ws:
        record = ws.run(run)
        verdict, went = ws.verdict(record.id), trail(ws, record.id)
    if as_json:
        from metier.formats.run_json import dump_run

        emit(_row(record) | {"run": dump_run(record.run), "verdict": _verdict(verdict), "learning": _learning(went)})
    else:
        console().print(page(record, verdict, went, every_step=every), soft_wrap=False)


@app.command()
def mark(
    ctx: typer.Context,
    run: RunArgument,
    verdict: Annotated[Literal["good", "bad", "unset"], typer.Argument(help="What you think of it.")],
    reason: Annotated[str, typer.Option(help="Why.")] = "",
    as_json: AsJson = False,
) -> None:
    """Say whether a run reached its goal; your word wins over every other.

    Example:  metier runs mark 3f9a bad --reason "it deleted the test"
    """
    from metier.runs.verdicts import mark_run

    with opened(ctx) as ws:
        record = mark_run(ws, run, verdict, reason)
    if as_json:
        emit(_row(record))
    else:
        back = "good" if verdict == "unset" else "unset"
        undo = f" Undo: metier runs mark {record.id[:8]} {back if back == 'unset' else 'good|bad'}"
        talk(f"Run {record.id[:8]} counts as: success {SIGNS[record.success]}.{undo}")


@app.command()
def delete(
    ctx: typer.Context,
    runs: Annotated[list[str], typer.Argument(metavar="ID...", help="Ids, or beginnings of them.")],
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Remove runs for good: from the store, its full-text index and its log.

    Only their ids are kept, so that they are not imported again. Example:  metier runs delete 3f9a --yes
    """
    with opened(ctx) as ws:
        ids = [ws.run(run).id for run in runs]
    _remove(ctx, ids, "removed by a person", yes=yes, as_json=as_json)


@app.command()
def purge(
    ctx: typer.Context,
    older_than: Annotated[
        int | None, typer.Option(min=0, max=36_500, metavar="DAYS", help="Runs recorded before that.")
    ] = None,
    session: Annotated[str | None, typer.Option(help="All runs of this session.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="All runs of this workspace.")] = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Remove many runs for good: by age, by session, or all.

    Example:  metier runs purge --older-than 90
    """
    from metier.maintenance.retention import chosen

    if sum((older_than is not None, session is not None, everything)) != 1:
        raise UsageError("Say which runs: one of --older-than DAYS, --session NAME, --all.")
    with opened(ctx) as ws:
        ids = chosen(ws, older_than=older_than, session=session)
    _remove(ctx, ids, "purged by a person", yes=yes, as_json=as_json)


@app.command()
def readmit(
    ctx: typer.Context,
    run: Annotated[str, typer.Argument(metavar="ID", help="The whole id of a removed run.")],
    as_json: AsJson = False,
) -> None:
    """Let a removed run be recorded again when it is delivered again; its text is gone until then.

    Example:  metier runs readmit 3f9a0c5b7d2e4f61aa90bb12
    """
    from metier.maintenance.retention import readmit as allow

    with opened(ctx) as ws:
        allow(ws, run)
    if as_json:
        emit({"readmitted": run})
    else:
        talk(f"Run {run} will be recorded again when it is delivered again. Undo then: metier runs delete {run[:8]}")


def _remove(ctx: typer.Context, ids: Sequence[str], reason: str, *, yes: bool, as_json: bool) -> None:
    from metier.maintenance.retention import remove

    if ids:
        confirm(f"Remove {len(ids)} run{'' if len(ids) == 1 else 's'} for good? This cannot be undone.", yes=yes)
        with opened(ctx) as ws:
            progress(remove(ws, ids, reason))
    if as_json:
        emit({"removed": list(ids)})
    else:
        count = f"{len(ids)} run{'' if len(ids) == 1 else 's'}"
        talk(f"Removed {count} for good. To let one be recorded again: metier runs readmit ID")


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


def _verdict(verdict: object) -> dict[str, object] | None:
    from dataclasses import asdict

    from metier.types import Verdict

    return asdict(verdict) if isinstance(verdict, Verdict) else None


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
