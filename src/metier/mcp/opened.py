"""The workspace behind the server: opened at the first call, and anew when its files were replaced."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from metier.errors import RefusedError, StoreError
from metier.runs.record import why_closed
from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@dataclass(kw_only=True)
class OpenedWorkspace:
    """A workspace for many calls, and the agent that calls."""

    folder: str = ""
    flags: Mapping[str, object] = field(default_factory=dict[str, object])
    agent: str = ""
    _ws: Workspace | None = None
    _files: tuple[object, ...] = ()

    def get(self) -> Workspace:
        """The workspace as it is now: a state folder that was replaced meanwhile is checked and opened again."""
        if self._ws is not None and self._files != _identity(self._ws):
            self.close()
        if self._ws is None:
            self._ws = Workspace.open(self.folder, create=False, flags=self.flags)
            self._files = _identity(self._ws)
        return self._ws

    def get_writable(self) -> Workspace:
        """The same, unless Metier is switched off here."""
        ws = self.get()
        if reason := why_closed(ws.context):
            raise RefusedError(reason)
        return ws

    def get_newest(self) -> Workspace:
        """The same, after taking in what hooks have noted since."""
        ws = self.get()
        with suppress(StoreError):  # it waits for the next call
            ws.ingest()
            ws.read_waiting()
        return ws

    def close(self) -> None:
        """Let go of the database."""
        if self._ws is not None:
            self._ws.close()
        self._ws = None


def _identity(ws: Workspace) -> tuple[object, ...]:
    """What tells a state folder from another one in its place."""
    return tuple(_inode(ws.state / name) for name in (".", "workspace", "owner", "metier.db"))


def _inode(path: Path) -> tuple[int, int] | None:
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino
