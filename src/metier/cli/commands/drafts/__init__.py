"""`metier drafts`: show proposed changes, approve or reject them, ship them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from metier.cli.commands.drafts.review import review, show_card
from metier.cli.options import AsJson, open_workspace, prepare_hooks
from metier.cli.output import console, emit, say, table, talk, visible
from metier.cli.yes import ask_word, deciding

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from metier.types.skills import Version

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    help="Show proposed changes, approve or reject them, ship them.\n\nExample:  metier drafts list",
)
DraftArgument = Annotated[str, typer.Argument(metavar="ID", help="A draft's id, or the start of it.")]
COLOURS = {"critical": "bold red", "high": "red", "medium": "yellow", "low": "cyan", "info": "dim"}


@app.callback(invoke_without_command=True)
def drafts(ctx: typer.Context) -> None:
    """Show proposed changes, approve or reject them, ship them.

    Example:  metier drafts list
    """
    if ctx.invoked_subcommand is None:
        list_(ctx)


@app.command("list")
def list_(
    ctx: typer.Context,
    every: Annotated[bool, typer.Option("--all", help="Also show drafts that were decided.")] = False,
    as_json: AsJson = False,
) -> None:
    """List the drafts that wait for a decision.

    Example:  metier drafts list --all
    """
    from metier.cli.views.drafts import row, state
    from metier.library.proposals.drafts import list_drafts

    with open_workspace(ctx) as ws:
        found = list_drafts(ws.library, every=every)
    if as_json:
        emit([row(draft) for draft in found])
    elif not found:
        talk("No open drafts. Decided drafts: metier drafts list --all")
    else:
        rows = [(one.id[:8], one.target, state(one), one.kind, str(len(one.findings)), one.summary) for one in found]
        columns = ("id", "skill", "status", "kind", "findings", "summary")
        console().print(table(columns, rows, grow="summary"))


@app.command()
def show(ctx: typer.Context, draft: DraftArgument, as_json: AsJson = False) -> None:
    """Show a draft: what it does, where it comes from, what review found.

    Example:  metier drafts show 3f9a
    """
    from metier.cli.views.drafts import facts, row
    from metier.learning.trace import doubt_since, origin
    from metier.library.proposals.drafts import get_draft, newly_allowed

    with open_workspace(ctx) as ws:
        found = get_draft(ws.library, draft)
        new, taught = newly_allowed(ws.library, found), origin(ws.context, found)
        doubt = doubt_since(ws.context, taught.pattern)
    if as_json:
        emit([row(found) | {"newly_allows": list(new), "runs": list(found.provenance.runs)}])
        return
    doubts = [("doubt", f"{doubt}.")] if doubt else []
    for label, value in [*facts(found, taught), *doubts, *(("newly allows", words) for words in new)]:
        say(visible(f"{label:<13} {value}"), indent=14)
    for finding in found.findings:
        where = f"{finding.file}:{finding.line}" if finding.line else finding.file
        said = visible(f"{finding.severity:<13} {where}  {finding.rule}: {finding.reason}")
        say(said, indent=14, style=COLOURS[finding.severity], styled=13)
        for line in (f"│ {finding.excerpt}" if finding.excerpt else "", finding.fix):
            if line:
                say(visible(f"{'':<14}{line}"), indent=14, style="dim")
    talk(f"See the changes: metier drafts diff {found.id}")


@app.command()
def diff(
    ctx: typer.Context,
    draft: DraftArgument,
    side_by_side: Annotated[bool, typer.Option("--side-by-side", "-y", help="Show two columns.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show what a draft changes, file by file.

    Example:  metier drafts diff 3f9a --side-by-side
    """
    from metier.cli.views.diff import as_document, page
    from metier.library.proposals.drafts import get_draft, proposed_change
    from metier.skills.diff import changes
    from metier.skills.package import Package

    with open_workspace(ctx) as ws:
        found = get_draft(ws.library, draft)
        change = proposed_change(ws.library, found)
    after = change.after
    parts = changes(change.before or Package(files={}), after)
    if as_json:
        emit({"draft": found.id, "hash": after.hash(), "files": [as_document(one) for one in parts]})
        return
    for part in page(parts, ("now", "draft"), two=side_by_side):
        console().print(part)
    seen = after.hash()[:12]
    talk(f"Hash: {seen}. Approve exactly this: metier drafts approve {found.id} --hash {seen}")


@app.command()
def approve(
    ctx: typer.Context,
    draft: DraftArgument,
    seen: Annotated[str, typer.Option("--hash", help="The hash you looked at, or the start of it.")] = "",
    reason: Annotated[str, typer.Option("--reason", help="Why; goes into the audit log.")] = "",
    despite_gate: Annotated[
        bool, typer.Option("--despite-gate", help="Approve it although a gate measured that it does not help.")
    ] = False,
) -> None:
    """Approve a draft exactly as it is now. If it changes later, it needs a new approval.

    It shows the draft and waits for the skill's name. Needs a terminal; programs use ws.approve().

    Example:  metier drafts approve 3f9a --reason "read every line"
    """
    from metier.library.proposals.drafts import approve_draft, get_open_draft, stopped_by

    with deciding(), open_workspace(ctx) as ws:
        found = get_open_draft(ws.library, draft)
        full = found.hash if found.hash.startswith(seen) else seen
        ask_word(show_card(ws, found))
        done = approve_draft(ws.library, found.id, seen=full, reason=reason, despite_gate=despite_gate)
    if done.status == "quarantined":
        talk(f"You approved what review stopped: {stopped_by(done)}.")
    talk(
        f"Approved draft {done.id} (hash {done.hash[:12]}). Ship it: metier drafts apply {done.id}   "
        f"Undo: metier drafts reject {done.id}"
    )


@app.command()
def reject(
    ctx: typer.Context,
    draft: Annotated[str, typer.Argument(metavar="[ID]", help="A draft's id, or the start of it.")] = "",
    every: Annotated[bool, typer.Option("--all", help="Reject every draft that waits.")] = False,
    reason: Annotated[str, typer.Option("--reason", help="Why; learning uses it.")] = "",
    as_json: AsJson = False,
) -> None:
    """Reject a draft, or with --all every draft that waits. It is kept, and not proposed again unchanged.

    Example:  metier drafts reject 3f9a --reason "too specific"  ·  metier drafts reject --all
    """
    from metier.cli.views.drafts import row
    from metier.errors import UsageError
    from metier.library.proposals.drafts import list_drafts, reject_draft

    if bool(draft) == every:
        raise UsageError("Name one draft, or give --all: metier drafts reject ID")
    with open_workspace(ctx) as ws:
        wanted = [one.id for one in list_drafts(ws.library)] if every else [draft]
        done = [reject_draft(ws.library, one, reason) for one in wanted]
    if as_json:
        emit([row(one) for one in done] if every else row(done[0]))
        return
    for one in done:
        talk(f"Rejected draft {one.id}. Undo: metier drafts reopen {one.id}")
    if not done:
        talk("No drafts wait.")


@app.command()
def reopen(ctx: typer.Context, draft: DraftArgument, as_json: AsJson = False) -> None:
    """Take a rejection back. The draft waits for your decision again; an approval it had does not come back.

    Example:  metier drafts reopen 3f9a
    """
    from metier.cli.views.drafts import row
    from metier.library.proposals.drafts import reopen_draft

    with open_workspace(ctx) as ws:
        done = reopen_draft(ws.library, draft)
    if as_json:
        emit(row(done))
    else:
        talk(f"Draft {done.id} is open again ({done.status}). Undo: metier drafts reject {done.id}")


@app.command()
def apply(
    ctx: typer.Context,
    ids: Annotated[list[str], typer.Argument(metavar="ID...", help="Drafts; all are shipped, or none.")],
    take_over: Annotated[
        bool, typer.Option("--take-over", help="Ship it even if it takes requests from other skills.")
    ] = False,
) -> None:
    """Ship drafts that passed review or that you approved: all of them, or none.

    It shows each that you have not approved yet, and waits for the skill's name. Needs a terminal; programs use
    ws.approve(). Requests that other skills served well are asked again: a draft that would take them over is refused.

    Example:  metier drafts apply 3f9a 77b1
    """
    from metier.learning.trace import doubt_since, origin
    from metier.library.claude_links import shipped_places
    from metier.library.proposals.drafts import finish_interrupted_drafts, get_open_draft, is_approved
    from metier.library.proposals.ship import check_allowed
    from metier.proof.routing import apply_checked

    with deciding(), open_workspace(ctx) as ws:
        finish_interrupted_drafts(ws.library)
        wanted = [get_open_draft(ws.library, draft) for draft in dict.fromkeys(ids)]
        for one in wanted:
            check_allowed(ws.context, one)
            if not is_approved(ws.context, one):
                ask_word(show_card(ws, one))
        versions, said = apply_checked(ws.library, [one.id for one in wanted], take_over=take_over)
        doubts = [(one.target, doubt_since(ws.context, origin(ws.context, one).pattern)) for one in wanted]
        prepare_hooks(ws)
        written = {one.skill: shipped_places(ws.library, one) for one in versions}
    _say_shipped([*said, *(f"{name} shipped, but {doubt}" for name, doubt in doubts if doubt)], versions, written)


def _say_shipped(notes: Sequence[str], versions: Sequence[Version], written: Mapping[str, Sequence[object]]) -> None:
    for line in notes:
        talk(visible(f"Note: {line}."))
    for version in versions:
        undo = "rollback" if version.parent else "archive"
        talk(
            f"Shipped {version.skill} v{version.number} ({version.status}). Undo: metier skills {undo} {version.skill}"
        )
        for path in written[version.skill]:
            talk(visible(f"  {path}"))


app.command()(review)
