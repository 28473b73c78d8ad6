"""`metier sync`: what was approved on one machine reaches the others."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated, cast

import typer

from metier.cli.options import AsJson, ServeByDefault, Yes, confirm, open_workspace, prepare_hooks
from metier.cli.output import emit, talk
from metier.errors import InputError, UsageError

if TYPE_CHECKING:
    from metier.sharing.membership import JoinScope, Membership
    from metier.sharing.take_over import SyncReport

app = typer.Typer(
    cls=ServeByDefault,
    add_completion=False,
    rich_markup_mode=None,
    help="Get the lessons and skills that were approved at a server, or share yours by git.\n\n"
    "Example:  metier sync join https://metier.example  ·  metier sync  ·  metier sync --git",
)
TOKEN = "METIER_SYNC_TOKEN"  # noqa: S105 - the name of a variable
UrlArgument = Annotated[str, typer.Argument(metavar="SERVER", help="Its address, such as https://metier.example.")]
Scope = Annotated[
    str,
    typer.Option(
        metavar="SCOPE",
        help="project: this is the server's project. team: another project of the team. person: only what is yours.",
    ),
]
Key = Annotated[str, typer.Option(metavar="KEY", help="The server's key, as metier serve key shows it there.")]
Git = Annotated[bool, typer.Option("--git", help="Make a branch with what is approved here, instead.")]
Branch = Annotated[str, typer.Option(metavar="NAME", help="With --git: the branch's name.")]
SAID = {
    "new": "New",
    "updated": "Updated",
    "removed": "Taken back",
    "held": "Not taken",
    "kept": "Left as it is",
}


@app.command()
def run(ctx: typer.Context, git: Git = False, branch: Branch = "", as_json: AsJson = False) -> None:
    """Take what is approved at the server you joined: verified by its key and by hashes, all of it or nothing.

    What you changed here stays; what review stops here waits as a draft. A rollback there arrives with the next sync.
    Without the network everything goes on as it is. Undo one: metier skills rollback SKILL, metier lessons forget ID.

    Example:  metier sync  ·  metier sync --git --branch metier/june
    """
    if git:
        _make_branch(ctx, branch, as_json=as_json)
        return
    if branch:
        raise UsageError("--branch goes with --git.")
    from metier.sharing.membership import read_membership
    from metier.sharing.server_client import ServerClient
    from metier.sharing.take_over import sync_now

    with open_workspace(ctx) as ws:
        member = read_membership(ws.context)
        report = sync_now(ws.library, member, ServerClient(url=member.url, token=member.token))
        prepare_hooks(ws)
    if as_json:
        emit(_document(report, member))
    else:
        _show(report, member)
    raise typer.Exit(1 if any(one.how == "held" for one in report.items) else 0)


@app.command()
def join(
    ctx: typer.Context,
    server: UrlArgument,
    scope: Scope = "project",
    key: Key = "",
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Join a server: its key is pinned now, and nothing without its signature is believed from then on.

    The token, of the role machine, is read from METIER_SYNC_TOKEN, or asked for. Undo: metier sync leave.

    Example:  METIER_SYNC_TOKEN=metier_… metier sync join https://metier.example --key 9f2c…
    """
    from metier.sharing.manifest import verified_manifest
    from metier.sharing.membership import TAKES, Membership
    from metier.sharing.server_client import ServerClient, checked_url
    from metier.sharing.take_over import note_joined

    if scope not in TAKES:
        raise UsageError(f"--scope is one of {', '.join(TAKES)}; got '{scope}'.")
    client = ServerClient(url=checked_url(server), token=_token())
    signed = client.manifest()
    if key and signed.key != key.strip().lower():
        raise InputError(f"The server's key is {signed.key}, not the one you named. Nothing was joined.")
    verified_manifest(signed, signed.key)
    if not key:
        talk(f"The server's key is {signed.key}")
        talk("Compare it with what `metier serve key` shows there.")
        confirm("Is it the same?", yes=yes)
    with open_workspace(ctx, create=True) as ws:
        member = Membership(url=client.url, key=signed.key, token=client.token, scope=cast("JoinScope", scope))
        note_joined(ws.library, member)
    if as_json:
        emit({"server": member.url, "key": member.key, "scope": member.scope})
    else:
        talk(f"Joined {member.host}. Get what is approved there: metier sync. Undo: metier sync leave")


@app.command()
def leave(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Leave the server. What came from it stays in use; undo by joining again.

    Example:  metier sync leave
    """
    from metier.sharing.membership import remove_membership

    with open_workspace(ctx) as ws:
        member = remove_membership(ws.context)
    if as_json:
        emit(
            {
                "left": member.url,
                "skills": [name for name, _ in member.skills],
                "lessons": [one for one, _ in member.lessons],
            }
        )
        return
    talk(f"Left {member.host}. {len(member.skills)} skills and {len(member.lessons)} lessons from it stay in use.")
    talk(f"Join again: metier sync join {member.url}")


@app.command()
def status(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Say which server this workspace joined, and what came from it. Asks nobody.

    Example:  metier sync status
    """
    from metier.sharing.membership import read_membership

    with open_workspace(ctx) as ws:
        member = read_membership(ws.context)
    if as_json:
        shown = {"server": member.url, "key": member.key, "scope": member.scope, "number": member.number}
        emit({**shown, "synced": member.synced or None, "skills": dict(member.skills), "lessons": dict(member.lessons)})
        return
    talk(f"{member.host}, as {member.scope}; key {member.key[:16]}…")
    talk(f"{len(member.skills)} skills and {len(member.lessons)} lessons came from it.")
    talk(f"Last sync: {member.synced or 'none yet'}")


def _token() -> str:
    if found := os.environ.get(TOKEN, "").strip():
        return found
    if not sys.stdin.isatty():
        raise UsageError(f"Set {TOKEN} to the token that the server's administrator gave you.")
    return str(typer.prompt("Token", hide_input=True, err=True)).strip()


def _document(report: SyncReport, member: Membership) -> dict[str, object]:
    items = [{"kind": one.kind, "name": one.name, "how": one.how, "reason": one.reason} for one in report.items]
    return {
        "server": member.url,
        "number": report.number,
        "skills": report.skills,
        "lessons": report.lessons,
        "items": items,
    }


def _show(report: SyncReport, member: Membership) -> None:
    for one in report.items:
        talk(f"{SAID[one.how]}: {one.kind} {one.name}" + (f" ({one.reason})" if one.reason else ""))
    if not report.items:
        talk("Nothing new.")
    talk(f"In use from {member.host}: {report.skills} skills, {report.lessons} lessons.")


def _make_branch(ctx: typer.Context, name: str, *, as_json: bool) -> None:
    from metier.sharing.git_branch import make_branch

    with open_workspace(ctx) as ws:
        made = make_branch(ws.library, name)
    if as_json:
        shown = {"branch": made.name, "commit": made.commit}
        emit({**shown, "skills": list(made.skills), "lessons": made.lessons})
        return
    talk(f"Made the branch {made.name}: {len(made.skills)} skills, {made.lessons} lessons. Nothing is checked out.")
    talk(f"Look: git show {made.name}  ·  send it: git push -u origin {made.name}  ·  undo: git branch -D {made.name}")
