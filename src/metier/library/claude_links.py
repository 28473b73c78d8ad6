"""Links from Claude Code's root to the shared one, so that what ships there works in both at once."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from metier.library.roots import AGENTS, CLAUDE

if TYPE_CHECKING:
    from pathlib import Path

    from metier.config import Links


def ensure(base: Path, skill: str, mode: Links) -> bool:
    """Link a shipped skill into `.claude/skills` where that is wanted and nothing is there; whether a link is new."""
    shared, own = base / AGENTS, base / CLAUDE
    wanted = mode == "always" or (mode == "auto" and (base / ".claude").is_dir())
    if not wanted or "/" in skill or os.path.realpath(shared) == os.path.realpath(own):
        return False
    if not (shared / skill).is_dir():
        return False
    with suppress(OSError):  # something is there, or the skill works in the shared root only
        own.mkdir(parents=True, exist_ok=True)
        (own / skill).symlink_to(os.path.relpath(shared / skill, own), target_is_directory=True)
        return True
    return False


def drop(base: Path, skill: str) -> None:
    """Take away the link to a skill that is not there any more; anything else of that name stays."""
    link = base / CLAUDE / skill
    if (
        link.is_symlink()
        and not link.exists()
        and os.path.normpath(link.parent / link.readlink()) == str(base / AGENTS / skill)
    ):
        with suppress(OSError):
            link.unlink()
