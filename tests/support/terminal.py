"""A person at a terminal: a command sees a real one, and each word that it asks for is typed."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import sys
import termios
import threading
import time
from typing import TYPE_CHECKING

import waiting

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

WIDTH = 200
ASKED = re.compile(rb"To say yes, type: (\S+)")
CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\r(?=\n)")
DECIDING = {
    ("cases", "accept"),
    ("drafts", "apply"),
    ("drafts", "approve"),
    ("lessons", "approve"),
    ("lessons", "edit"),
    ("skills", "rollback"),
}


class Person:
    """Two terminals, one for input and output and one for errors, and a person who types."""

    def __init__(self, keys: str | None = None) -> None:
        """`keys`: what is typed; without it every word that is asked for, and nothing else."""
        self._keys = keys
        self._said: dict[int, bytes] = {}
        self.out = self.err = ""

    def __enter__(self) -> Person:
        self.main, self.side = _terminal()
        self.error_main, self.error_side = _terminal()
        self.tty, self.errors = os.ttyname(self.side), os.ttyname(self.error_side)
        if self._keys is not None:
            os.write(self.main, self._keys.encode())
        self._said = {self.main: b"", self.error_main: b""}
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self.side)
        os.close(self.error_side)
        waiting.join([self._reader])
        self.out, self.err = (CODES.sub("", text.decode()) for text in self._said.values())
        os.close(self.main)
        os.close(self.error_main)

    def _read(self) -> None:
        left, answered = set(self._said), 0
        while left:
            for one in select.select(left, [], [])[0]:
                try:
                    found = os.read(one, 65536)
                except OSError:  # the other side is closed
                    found = b""
                self._said[one] += found
                left -= set() if found else {one}
            asked = ASKED.findall(self._said[self.error_main]) if self._keys is None else []
            for word in asked[answered:]:
                os.write(self.main, word.rstrip(b":") + b"\n")
            answered = len(asked)


def _terminal() -> tuple[int, int]:
    main, side = pty.openpty()
    modes = termios.tcgetattr(side)
    modes[3] &= ~termios.ECHO
    termios.tcsetattr(side, termios.TCSANOW, modes)
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 50, WIDTH, 0, 0))
    return main, side


def answered(folder: Path, answer: str, *words: str, path: str = "", **variables: str) -> tuple[int, str]:
    """The exit code and the screen of a command in a terminal where every question gets one answer."""
    screen, terminal = pty.openpty()
    command = [sys.executable, "-m", "metier", *words]
    environ = os.environ | {"PATH": f"{path}:/usr/bin:/bin" if path else "/usr/bin:/bin"} | variables
    with waiting.running(command, cwd=folder, env=environ, stdin=terminal, stdout=terminal, stderr=terminal) as child:
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
