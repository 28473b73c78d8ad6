"""Every skill as it is on disk, read again only when a document, a folder or a status changed."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from metier.library.listing import list_skills
from metier.selection.candidates.disk_changes import disk_state, disk_state_again

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from metier.library.listing import Skill
    from metier.selection.candidates.disk_changes import DiskState
    from metier.workspace import Workspace

FRESH = 10.0
"""Seconds after which the skills are read again in any case: other files of a skill are not watched."""


class SkillShelf:
    """The skills of a workspace, remembered."""

    def __init__(self, ws: Workspace) -> None:
        self._ws = ws
        self._lock = threading.Lock()
        self._skills: Sequence[Skill] = ()
        self._disk: DiskState | None = None
        self._stamp: Hashable = None
        self._read = 0.0

    def skills(self, stamp: Hashable) -> Sequence[Skill]:
        """All of them, as of a stamp that stands for what the store knows of them."""
        with self._lock:
            if self._disk is None or self._is_stale(stamp, self._disk):
                self._skills = list_skills(self._ws.library)
                self._disk = disk_state(self._ws.library, self._skills)
                self._stamp, self._read = stamp, time.monotonic()
            return self._skills

    def _is_stale(self, stamp: Hashable, disk: DiskState) -> bool:
        old = time.monotonic() - self._read > FRESH
        return old or stamp != self._stamp or disk_state_again(self._ws.context, disk) != disk
