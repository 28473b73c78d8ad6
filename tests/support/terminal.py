"""A command in a terminal, and a person who gives every question the same answer."""

from __future__ import annotations

import os
import pty
import select
import sys
import time
from typing import TYPE_CHECKING

from waiting import running

if TYPE_CHECKING:
    from pathlib import Path


def answered(folder: Path, answer: str, *words: str, path: str = "", **variables: str) -> tuple[int, str]:
    """The exit code and the screen of a command in a terminal where every question gets one answer."""
    screen, terminal = pty.openpty()
    command = [sys.executable, "-m", "metier", *words]
    environ = os.environ | {"PATH": f"{path}:/usr/bin:/bin" if path else "/usr/bin:/bin"} | variables
    with running(command, cwd=folder, env=environ, stdin=terminal, stdout=terminal, stderr=terminal) as child:
        os.close(terminal)
        shown, given, end = b"", 0, time.monotonic() + 60
        while time.monotonic() < end:
            if select.select([screen], [], [], 0.2)[0]:
                try:
                    shown += os.read(screen, 65_536)
                except OSError:  # nobody holds the terminal any more: the command is over
                    break
            if shown.count(b"]: ") > given:
                given += 1
                os.write(screen, f"{answer}\n".encode())
        os.close(screen)
        code = child.wait(10)
    return code, shown.decode("utf-8", "replace")
