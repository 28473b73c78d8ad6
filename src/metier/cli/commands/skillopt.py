"""`metier import skillopt`: a run folder of SkillOpt's trainer."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

import typer

from metier.cli.options import open_workspace
from metier.cli.output import emit, talk
from metier.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.training.service.skillopt_import import ImportedRun

OUTCOMES = ("accepted", "rejected", "skipped")


def import_run(ctx: typer.Context, paths: Sequence[str], name: str, *, as_json: bool) -> NoReturn:
    """Take over one run folder; exits with 1 if review quarantines its skill."""
    from pathlib import Path

    from metier.training.service.skillopt_import import import_skillopt_run

    if len(paths) != 1:
        raise UsageError("Give one run folder: metier import skillopt FOLDER [--as NAME].")
    with open_workspace(ctx, create=True) as ws:
        done = import_skillopt_run(ws.library, Path(paths[0]).expanduser(), name)
    if as_json:
        emit(_document(done))
    else:
        _print(done)
    raise typer.Exit(1 if done.draft and done.draft.status == "quarantined" else 0)


def _document(done: ImportedRun) -> dict[str, object]:
    from metier.cli.views.drafts import row

    return {
        "skill": done.skill,
        "training": done.training,
        "steps": {word: done.steps[word] for word in OUTCOMES},
        "rejected_edits": len(done.rejected),
        "draft": row(done.draft) if done.draft else None,
    }


def _print(done: ImportedRun) -> None:
    from metier.training.report.fields import count

    draft, training = done.draft, done.training[:8]
    counts = ", ".join(f"{done.steps[word]} {word}" for word in OUTCOMES)
    talk(f"Read {count(done.steps.total(), 'step')}: {counts}. Look at them: metier train show {training}")
    talk(f"The next training of {done.skill} is told about {count(len(done.rejected), 'rejected edit')}.")
    if draft is None:
        talk(f"{done.skill} is the same already. Undo: metier train forget {training}")
        return
    talk(f"Saved as draft {draft.id} ({draft.status}): {draft.target}, {count(len(draft.findings), 'finding')}.")
    for note in draft.notes:
        talk(f"  note:  {note}")
    talk(f"  look:  metier drafts show {draft.id}, metier drafts diff {draft.id}")
    talk(f"  ship:  metier drafts approve {draft.id} && metier drafts apply {draft.id}")
    talk(f"  undo:  metier drafts reject {draft.id}, metier train forget {training}")
