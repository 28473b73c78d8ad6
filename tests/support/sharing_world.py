"""What the tests of sharing have in common: a workspace with something approved, and other machines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard_world import SKILL, sample_lessons

from metier.library.lessons import approve_lesson
from metier.library.proposals.drafts import approve_draft
from metier.library.proposals.hand_in import hand_in_document
from metier.library.proposals.ship import apply_drafts
from metier.store.tables.learning import lessons
from metier.types import Run
from metier.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

RULE, FACT = "0000000000a0", "0000000000a1"


def open_machine(folder: Path) -> Workspace:
    """A machine of its own: another home, another key."""
    folder.mkdir(parents=True)
    (folder.parent / f"home-{folder.name}").mkdir(exist_ok=True)
    return Workspace.open(folder, environ={"HOME": str(folder.parent / f"home-{folder.name}"), "PATH": "/usr/bin:/bin"})


def make_project(folder: Path) -> Workspace:
    """A workspace with proposals, an approved rule and a skill in one version."""
    ws = open_machine(folder)
    ids = [one.id for one in ws.deliver([Run(message=f"run {n}", external_id=str(n)) for n in range(8)])]
    with ws.context.store.write() as transaction:
        lessons.put(transaction, sample_lessons(ws.name, ids, "plain"))
    approve_lesson(ws.context, RULE)
    ship(ws, "write-notes", "Write the notes.")
    return ws


def ship(ws: Workspace, name: str, description: str, more: str = "") -> str:
    """Ship a version of a skill by a person's yes; returns its hash."""
    document = SKILL.format(name=name, description=description) + more
    draft = hand_in_document(ws.library, name, document, "from runs")
    approve_draft(ws.library, draft.id, seen=draft.hash)
    return apply_drafts(ws.library, [draft.id])[0].hash
