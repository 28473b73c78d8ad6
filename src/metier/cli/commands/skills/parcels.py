"""`metier skills export, import`: write a skill with its history to one file, or read one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from metier.cli.commands.skills.history import SkillArgument  # noqa: TC001 - typer reads it at run time
from metier.cli.options import AsJson, open_workspace
from metier.cli.output import emit, talk

if TYPE_CHECKING:
    from collections.abc import Callable


def export(
    ctx: typer.Context,
    skill: SkillArgument,
    to: Annotated[
        str, typer.Option("--to", metavar="FILE", help="The file to write; default: SKILL.skill.zip in this folder.")
    ] = "",
    with_history: Annotated[bool, typer.Option("--history/--no-history", help="Include all its versions.")] = True,
    as_json: AsJson = False,
) -> None:
    """Write a skill with its whole history to one ZIP file.

    Refused if it contains a secret.

    Example:  metier skills export deploy --to /tmp/deploy.skill.zip
    """
    from pathlib import Path

    from metier.errors import RefusedError
    from metier.library.disk.atomic_files import replace_file
    from metier.library.proposals.parcels import export_skill as packed

    with open_workspace(ctx) as ws:
        content = packed(ws.library, skill, with_history=with_history)
    target = Path(to or f"{skill.rstrip('/').rpartition('/')[2]}.skill.zip").expanduser().absolute()
    if target.exists():
        raise RefusedError(f"{target} already exists. Choose another name: --to FILE.")
    replace_file(target, content, ws.root)
    if as_json:
        emit({"file": str(target), "bytes": len(content)})
    else:
        talk(f"Wrote {target} ({len(content):,} bytes). Undo: rm {target}")


def import_(
    ctx: typer.Context,
    source: Annotated[
        str, typer.Argument(metavar="PATH", help="A skill folder, or an archive of one (.zip, .tar.gz).")
    ],
    user: Annotated[bool, typer.Option("--user", help="Import for all your projects: ~/.agents/skills.")] = False,
    as_json: AsJson = False,
) -> None:
    """Import a skill from elsewhere as a draft. It is not live until you approve it.

    Exits with 1 if review quarantines it.

    Example:  metier skills import ~/Downloads/deploy.skill.zip
    """
    from pathlib import Path

    from metier.library.proposals.drafts import proposed_change
    from metier.library.proposals.parcels import import_skill
    from metier.proof.routing import lost_requests, routing_of, routing_words

    with open_workspace(ctx, create=True) as ws:
        draft = import_skill(ws.library, Path(source).expanduser().absolute(), for_user=user)
        change = proposed_change(ws.library, draft)
        found = routing_of(ws.library, draft.target, change.before, change.after)
    said = routing_words(found) if found and found.taken else ""
    if as_json:
        from metier.cli.views.drafts import row

        emit(row(draft) | {"routing": said or None})
    else:
        from metier.cli.views.drafts import ship_words

        count = f"{len(draft.files)} files, {len(draft.findings)} findings"
        talk(f"Saved as draft {draft.id} ({draft.status}): {draft.target}, {count}.")
        talk(f"  look:  metier drafts show {draft.id}, metier drafts diff {draft.id}")
        talk(f"  ship:  {ship_words(draft)}")
        talk(f"  undo:  metier drafts reject {draft.id}")
        if said:
            held = f" It ships only with: metier drafts apply {draft.id} --take-over" if lost_requests(found) else ""
            talk(f"Note: {said}.{held}")
    raise typer.Exit(1 if draft.status == "quarantined" else 0)


COMMANDS: dict[str, Callable[..., None]] = {"export": export, "import": import_}
