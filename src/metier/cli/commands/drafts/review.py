"""`metier drafts review`: drafts one card at a time, one key each."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from metier.cli.options import open_workspace, prepare_hooks
from metier.cli.output import console, talk
from metier.cli.yes import ask_key_or_word, ask_word, deciding
from metier.errors import MetierError, RefusedError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from metier.types import Draft
    from metier.workspace import Workspace

KEYS = "[n]o  [e]dit  [l]ater  [q]uit"


def review(ctx: typer.Context) -> None:
    """Go through the drafts one by one: what each would change, what taught it, what review found.

    Example:  metier drafts review
    """
    from metier.library.proposals.drafts import list_drafts

    with deciding(), open_workspace(ctx) as ws:
        waiting = list_drafts(ws.library)
        if not waiting:
            talk("No drafts wait. Metier makes them from your runs: metier learn")
        _ship(ws, _go_through(ws, waiting))


def _go_through(ws: Workspace, waiting: list[Draft]) -> list[Draft]:
    """The drafts that the person said yes to."""
    approved: list[Draft] = []
    for number, draft in enumerate(waiting, start=1):
        console().print(f"\n{number} of {len(waiting)}")
        try:
            word = show_card(ws, draft)
        except MetierError as error:
            talk(f"Draft {draft.id} ({draft.target}) can no longer be put together: {error}")
            continue
        key = ask_key_or_word(KEYS, word, "l")
        if key == "q":
            break
        try:
            done = _decide(ws, draft, key)
        except MetierError as error:
            talk(f"{error} The draft still waits.")
            continue
        approved += [done] if done is not None else []
    return approved


def show_card(ws: Workspace, draft: Draft) -> str:
    """Show a draft's card; the word of it that means yes, which is the skill's name."""
    from metier.cli.views.draft_card import card
    from metier.learning.trace import origin
    from metier.library.proposals.drafts import newly_allowed, proposed_change

    change = proposed_change(ws.library, draft)
    for line in card(draft, origin(ws.context, draft), change, newly_allowed(ws.library, draft)):
        console().print(line)
    return draft.target.rpartition("/")[2]


def _decide(ws: Workspace, draft: Draft, key: str) -> Draft | None:
    """Do what a key means; the draft if it is approved now."""
    from metier.library.proposals.drafts import approve_draft, reject_draft
    from metier.library.proposals.reword_draft import document_of, reword_draft

    match key:
        case "y":
            done = approve_draft(ws.library, draft.id, seen=draft.hash, despite_gate=_asked_twice(draft))
        case "e":
            mine = reword_draft(ws.library, draft.id, edited_text(document_of(ws.library, draft), os.environ))
            _tell_findings(mine)
            ask_word(mine.target.rpartition("/")[2])
            done = approve_draft(ws.library, mine.id, seen=mine.hash)
        case "n":
            reject_draft(ws.library, draft.id, typer.prompt("Why, for learning (or nothing)", default="", err=True))
            talk(f"Rejected draft {draft.id}. Undo: metier drafts reopen {draft.id}")
            return None
        case _:
            talk("Left for later.")
            return None
    talk(f"Approved draft {done.id}. Undo: metier drafts reject {done.id}")
    return done


def _asked_twice(draft: Draft) -> bool:
    """Whether a person wants a draft although review or a gate stopped it; they see what was found or measured."""
    from metier.library.proposals.drafts import stopped_by

    if draft.status == "quarantined" and not typer.confirm(
        f"Review stopped it: {stopped_by(draft)}. Approve it all the same?", default=False, err=True
    ):
        raise RefusedError(f"Draft {draft.id} was not approved.")
    if not draft.objection:
        return False
    return typer.confirm(f"A gate rejected it: {draft.objection}. Approve it all the same?", default=False, err=True)


def _tell_findings(draft: Draft) -> None:
    """Refuse a text of the person that review would not let through unseen."""
    if draft.status == "quarantined":
        why = "; ".join(one.reason for one in draft.findings)
        raise RefusedError(f"Review stops your text: {why} It is kept as draft {draft.id}.")


def edited_text(text: str, environ: Mapping[str, str]) -> str:
    """A text as the person leaves it in their editor."""
    command = shlex.split(environ.get("VISUAL") or environ.get("EDITOR") or "vi")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "SKILL.md"
        file.write_text(text, encoding="utf-8")
        try:
            done = subprocess.run([*command, str(file)], check=False)  # noqa: S603 - the person's own editor
        except OSError as error:
            raise RefusedError(f"Your editor {command[0]} cannot be started: {error.strerror}. Set EDITOR.") from None
        if done.returncode:
            raise RefusedError(f"Your editor {command[0]} ended with {done.returncode}. Nothing was changed.")
        return file.read_text(encoding="utf-8", errors="replace")


def _ship(ws: Workspace, approved: list[Draft]) -> None:
    """Offer to ship what was approved, all at once."""
    from metier.proof.routing import apply_checked

    if not approved:
        return
    ids = " ".join(one.id for one in approved)
    count = f"{len(approved)} approved draft{'' if len(approved) == 1 else 's'}"
    answer = typer.prompt(f"Ship {count} now? [y]es  [l]ater", default="l", err=True)
    if answer.strip().casefold()[:1] != "y":
        talk(f"Ship later: metier drafts apply {ids}")
        return
    for version in apply_checked(ws.library, [one.id for one in approved])[0]:
        undo = "rollback" if version.parent else "archive"
        talk(f"Shipped {version.skill} v{version.number}. Undo: metier skills {undo} {version.skill}")
    prepare_hooks(ws)
