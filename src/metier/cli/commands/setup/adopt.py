"""`metier init --adopt`: show what lies in a state folder from elsewhere, then use it."""

from __future__ import annotations

import os
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from metier.cli.options import confirm
from metier.cli.output import emit, talk

if TYPE_CHECKING:
    from metier.cli.options import GlobalOptions
    from metier.context.adopt import StateSummary

SHOWN = 10
"""Skills that are named."""


def adopt_foreign_state(given: GlobalOptions, *, yes: bool, as_json: bool) -> None:
    """Show what a foreign state folder holds, ask, and make it this person's own."""
    from metier import config
    from metier.context import state_folder as place
    from metier.context.adopt import adopt_state, find_foreign_state, look_at_state
    from metier.context.identity import user_key
    from metier.workspace import Workspace

    shared = config.outer_state_dir(given.flags, os.environ)
    folder = Path(given.folder)
    root = place.find_root(folder, os.environ, shared) or place.new_root(folder, os.environ)
    state, key = config.state_folder(root, shared), user_key(os.environ)
    found = look_at_state(find_foreign_state(root, state, key))
    for line in () if as_json else _lines(found):
        talk(line)
    confirm(f"Use {found.folder} from now on?", yes=yes)
    from metier.context.context import utc

    replaced = adopt_state(found, state, key, utc().isoformat())
    Workspace.open(root, flags=given.flags).close()
    if as_json:
        emit({"state": str(state), "runs": found.runs, "skills": list(found.skills), "approvals": found.approvals})
        return
    talk(f"{state} is yours now. Approvals that you did not give on this machine do not count.")
    if replaced:
        talk(f"The state that was here is kept in {replaced}.")
    aside = quote(str(state.with_name(f"{state.name}-not-mine")))
    talk(
        f"Undo: mv {quote(str(state))} {aside}"
        + (f" && mv {quote(str(replaced))} {quote(str(state))}" if replaced else "")
    )


def _lines(found: StateSummary) -> list[str]:
    """What a person should know before they say yes."""
    more = len(found.skills) - SHOWN
    named = ", ".join(found.skills[:SHOWN]) + (f" and {more} more" if more > 0 else "")
    skills = f"the history of {len(found.skills)} skills ({named})" if named else "no history of skills"
    lines = [
        f"{found.folder} holds {found.runs} runs and {skills}.",
        f"Drafts in it that somebody approved: {found.approvals}. After this only your own approvals count.",
    ]
    return [*lines, "Its settings:", *found.settings.splitlines()] if found.settings.strip() else lines
