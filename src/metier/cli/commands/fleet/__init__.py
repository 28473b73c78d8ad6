"""`metier fleet`: hand in jobs for workers, and see how they stand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from metier.cli.options import AsJson, open_workspace
from metier.cli.output import console, emit, table, talk
from metier.errors import NotFoundError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from metier.store.tables.fleet.queue import QueueRow
    from metier.store.tables.fleet.status import FleetStatus
    from metier.workspace import Workspace

ABOUT = "Hand in jobs for workers on any machine, and see how they stand."
app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    help=f"{ABOUT}\n\nExample:  metier fleet learn  ·  metier fleet status",
)
JobsArgument = Annotated[list[int] | None, typer.Argument(metavar="[JOB]...", help="Numbers of failed jobs.")]
Every = Annotated[bool, typer.Option("--all", help="All failed jobs of this workspace.")]


@app.callback()
def fleet() -> None:
    """Hand in jobs for workers on any machine, and see how they stand.

    Example:  metier fleet learn  ·  metier fleet status
    """


@app.command()
def learn(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Hand in a pass of learning for this workspace; the next free worker makes it.

    One that waits already is enough: a second one is not handed in. Undo what it learns as after metier learn.

    Example:  metier fleet learn && metier fleet status
    """
    from metier.fleet.kinds import LEARN
    from metier.fleet.queue import QueuedJobs

    with open_workspace(ctx) as ws:
        jobs = QueuedJobs(ws.context)
        new, workers = jobs.put([LEARN]), jobs.status().workers
    said = "Handed in a pass of learning." if new else "A pass of learning waits already."
    _tell_put(new, workers, said, as_json=as_json)


@app.command()
def judge(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Hand in the runs that wait for a model's verdict, some at a time, so that many workers judge them.

    The next pass of learning finds the verdicts and asks about nothing twice. Undo: metier runs mark changes a verdict.

    Example:  metier fleet judge && metier fleet learn
    """
    import os

    from metier.fleet.kinds import judging_jobs
    from metier.fleet.queue import QueuedJobs

    with open_workspace(ctx) as ws:
        jobs = QueuedJobs(ws.context)
        wanted = judging_jobs(ws.context, os.environ)
        new, workers = jobs.put(wanted), jobs.status().workers
    _tell_put(new, workers, f"Handed in {new} jobs." if wanted else "No run waits for a verdict.", as_json=as_json)


@app.command()
def replay(
    ctx: typer.Context,
    draft: Annotated[str, typer.Argument(metavar="DRAFT", help="A draft's id, or the start of it.")],
    target: Annotated[str, typer.Option(metavar="TARGET", help="What runs the cases, as in `metier train`.")] = "chat",
    judged_by: Annotated[str, typer.Option("--judge", metavar="MODEL", help="The model that judges rubrics.")] = "",
    budget: Annotated[
        list[str] | None,
        typer.Option("--budget", metavar="NAME=N", help="Spend at most: rollouts, calls, tokens, usd, seconds."),
    ] = None,
    commands: Annotated[
        bool, typer.Option("--allow-commands", help="Let cases run their checks; read the cases first.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Hand in a replay of a draft. A worker tries it on the accepted cases, and notes the decision with the draft.

    It ships nothing. A noted decision is replaced by that of the next replay.

    Example:  metier fleet replay 17980a12 --budget usd=2 && metier fleet status
    """
    from metier.cli.budget import limits_from
    from metier.fleet.kinds import replay_job
    from metier.fleet.queue import QueuedJobs
    from metier.library.proposals.drafts import get_open_draft
    from metier.proof.replay.gate import ReplayOptions

    options = ReplayOptions(target=target, judge=judged_by, limits=limits_from(budget or []), commands=commands)
    with open_workspace(ctx) as ws:
        found = get_open_draft(ws.library, draft)
        jobs = QueuedJobs(ws.context)
        new, workers = jobs.put([replay_job(found.id, options)]), jobs.status().workers
    said = f"Handed in a replay of draft {found.id}." if new else f"A replay of draft {found.id} waits already."
    _tell_put(new, workers, said, as_json=as_json)


@app.command()
def status(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Show this workspace's jobs: what waits, what runs, what failed and why.

    Example:  metier fleet status --json
    """
    from metier.fleet.queue import QueuedJobs

    with open_workspace(ctx) as ws:
        found = QueuedJobs(ws.context).status()
    if as_json:
        emit(_document(found))
    else:
        _show(found)


@app.command("limit")
def limit_(
    ctx: typer.Context,
    provider: Annotated[str, typer.Argument(metavar="[PROVIDER]", help="Such as openai; none: show all limits.")] = "",
    at_once: Annotated[int, typer.Option(min=0, max=100_000, help="Calls at the same time; 0: any number.")] = 0,
    per_minute: Annotated[int, typer.Option(min=0, max=10_000_000, help="Calls a minute; 0: any number.")] = 0,
    clear: Annotated[bool, typer.Option("--clear", help="Take the provider's limit away.")] = False,
    as_json: AsJson = False,
) -> None:
    """Limit the calls to a provider of models, for all machines and workspaces of this store together.

    Calls wait for their turn; the time they wait is not part of their own time limit. When a provider asks one machine
    to wait, all wait. Undo: metier fleet limit PROVIDER --clear

    Example:  metier fleet limit anthropic --at-once 20 --per-minute 1000  ·  metier fleet limit
    """
    from metier.fleet.queue import check_store
    from metier.store.tables.fleet import provider_limits

    if not provider and (at_once or per_minute or clear):
        raise UsageError("Name the provider, such as openai.")
    with open_workspace(ctx) as ws:
        check_store(ws.context)
        if provider:
            _set_limit(ws, provider, at_once, per_minute, clear=clear)
        with ws.context.store.read() as transaction:
            found = provider_limits.list_all(transaction)
    if as_json:
        emit([{"provider": one.provider, "at_once": one.at_once, "per_minute": one.per_minute} for one in found])
    elif found:
        rows = [(one.provider, str(one.at_once or "any"), str(one.per_minute or "any")) for one in found]
        console().print(table(("provider", "at once", "a minute"), rows))
    else:
        talk("No provider has a limit.")


@app.command()
def retry(ctx: typer.Context, jobs: JobsArgument = None, every: Every = False, as_json: AsJson = False) -> None:
    """Try failed jobs again, once. Take one out instead: metier fleet drop JOB.

    Example:  metier fleet retry 17  ·  metier fleet retry --all
    """
    _change(ctx, jobs or [], every=every, as_json=as_json, word="retried")


@app.command()
def drop(ctx: typer.Context, jobs: JobsArgument = None, every: Every = False, as_json: AsJson = False) -> None:
    """Remove failed jobs. Undo by handing the work in again, such as with metier fleet learn.

    Example:  metier fleet drop 17
    """
    _change(ctx, jobs or [], every=every, as_json=as_json, word="dropped")


def _set_limit(ws: Workspace, provider: str, at_once: int, per_minute: int, *, clear: bool) -> None:
    from metier.models.spec import KNOWN, OTHERS
    from metier.store.tables.fleet import provider_limits
    from metier.store.tables.fleet.provider_limits import ProviderLimit

    if clear == bool(at_once or per_minute):
        raise UsageError("Say --at-once N, --per-minute N, or both; --clear takes the limit away.")
    if provider not in {*KNOWN, *OTHERS}:
        raise UsageError(f"'{provider}' is no provider. Known are {', '.join(sorted({*KNOWN, *OTHERS}))}.")
    with ws.context.store.write() as transaction:
        if clear:
            provider_limits.remove(transaction, provider)
        else:
            limit = ProviderLimit(provider=provider, at_once=at_once, per_minute=per_minute)
            provider_limits.put(transaction, limit)


def _tell_put(new: int, workers: int, said: str, *, as_json: bool) -> None:
    """Say what was handed in, and whether anybody will do it."""
    if as_json:
        emit({"handed_in": new, "workers": workers})
        return
    talk(said)
    if new and not workers:
        talk("No worker is running. Start one: metier worker")


def _change(ctx: typer.Context, numbers: Sequence[int], *, every: bool, as_json: bool, word: str) -> None:
    from metier.fleet.queue import QueuedJobs

    if bool(numbers) == every:
        raise UsageError("Name failed jobs by number, or say --all. metier fleet status shows them.")
    with open_workspace(ctx) as ws:
        jobs = QueuedJobs(ws.context)
        act: Callable[[Sequence[int]], list[int]] = jobs.retry if word == "retried" else jobs.drop
        changed = act([one.job for one in jobs.status().failed] if every else numbers)
    missing = [number for number in numbers if number not in changed]
    if as_json:
        emit({word: changed, "missing": missing})
    elif changed or every:
        talk(f"{word.capitalize()}: {', '.join(map(str, changed)) or 'none, as no job has failed'}.")
    if missing:
        raise NotFoundError(f"No failed job here is number {missing[0]}. metier fleet status shows them.")


def _document(found: FleetStatus) -> dict[str, object]:
    """How the jobs stand, as JSON."""
    ended = [
        {"job": one.job, "kind": one.kind, "ok": one.ok, "worker": one.worker, "ended": one.ended, "text": one.text}
        for one in found.outcomes
    ]
    return {
        "workers": found.workers,
        "waiting": [_row(one) for one in found.waiting],
        "running": [{**_row(one), "worker": one.worker} for one in found.running],
        "failed": [{**_row(one), "reason": found.reason(one.job)} for one in found.failed],
        "ended": ended,
    }


def _row(one: QueueRow) -> dict[str, object]:
    return {"job": one.job, "kind": one.kind, "key": one.key, "attempts": one.attempts}


def _show(found: FleetStatus) -> None:
    count = {"waiting": len(found.waiting), "running": len(found.running), "failed": len(found.failed)}
    workers = f"{found.workers} worker{'' if found.workers == 1 else 's'}"
    talk(f"{workers} · " + " · ".join(f"{number} {name}" for name, number in count.items()))
    rows = [(str(one.job), one.kind, "failed", found.reason(one.job)) for one in found.failed]
    rows += [(str(one.job), one.kind, "running", f"worker {one.worker}") for one in found.running]
    rows += [(str(one.job), one.kind, "waiting", "") for one in found.waiting[:20]]
    rows += [(str(one.job), one.kind, "done", f"{one.worker}: {one.text}") for one in found.outcomes if one.ok][:10]
    if rows:
        console().print(table(("job", "kind", "state", "what"), rows, grow="what"))
    if found.failed:
        talk("Try failed jobs again: metier fleet retry --all. Remove them: metier fleet drop --all")
    if found.waiting and not found.workers:
        talk("No worker is running. Start one: metier worker")
