"""`metier init --adopt STATE`: show what lies in a state folder, then use it for this project."""

from __future__ import annotations

import os
from shlex import quote
from typing import TYPE_CHECKING

from metier.cli.options import confirm
from metier.cli.output import emit, talk

if TYPE_CHECKING:
    from metier.cli.options import GlobalOptions
    from metier.context.adopt import StateSummary

SHOWN = 10
"""Skills that are named."""


def adopt_state(given: GlobalOptions, wanted: str, *, yes: bool, as_json: bool) -> None:
    """Show what a state folder holds, ask, and bind this project to it."""
    from metier.context import state_folder as place
    from metier.context.adopt import find_state, look_at_state
    from metier.workspace import Workspace

    home = place.state_home(os.environ)
    root = place.planned_root(given.folder, home, os.environ)
    before = place.find_place(root, home)
    found = look_at_state(find_state(wanted, home))
    for line in () if as_json else _lines(found):
        talk(line)
    confirm(f"Use it for {root} from now on?", yes=yes)
    place.bind_to(found.folder, root, home)
    Workspace.open(root, create=False, flags=given.flags).close()
    if as_json:
        emit({"state": str(found.folder), "runs": found.runs, "skills": list(found.skills)})
        return
    talk(f"{root} uses {found.folder} now.")
    back = f"metier init --adopt {quote(before.state.name)}" if before else "metier uninit"
    talk(f"Undo: {back}")


def _lines(found: StateSummary) -> list[str]:
    """What a person should know before they say yes."""
    more = len(found.skills) - SHOWN
    named = ", ".join(found.skills[:SHOWN]) + (f" and {more} more" if more > 0 else "")
    skills = f"the history of {len(found.skills)} skills ({named})" if named else "no history of skills"
    return [
        f"{found.folder} is the state of {found.was}: {found.runs} runs and {skills}.",
        f"Drafts in it that were approved: {found.approvals}. Only approvals made on this machine count.",
    ]
