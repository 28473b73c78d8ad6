"""`metier init` in a terminal: it shows everything, asks once, and does what the person says."""

from __future__ import annotations

import os
import pty
import select
import sys
import time
from typing import TYPE_CHECKING

from homes import FOREIGN_HOOKS, picture
from waiting import running

if TYPE_CHECKING:
    from pathlib import Path


def answered(folder: Path, answer: str, *words: str) -> tuple[int, str]:
    """The exit code and the screen of a command in a terminal where every question gets one answer."""
    screen, terminal = pty.openpty()
    command = [sys.executable, "-m", "metier", *words]
    environ = os.environ | {"PATH": "/usr/bin:/bin"}
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


def made_home(tmp_path: Path) -> tuple[Path, Path]:
    home, project = tmp_path / "home", tmp_path / "proj"
    (home / ".claude").mkdir()
    (home / ".codex").mkdir()
    (home / ".codex/hooks.json").write_text(FOREIGN_HOOKS)
    project.mkdir()
    return home, project


def test_a_person_who_says_yes_is_asked_once_and_connected(tmp_path: Path) -> None:
    home, project = made_home(tmp_path)
    code, screen = answered(project, "y", "init")
    assert code == 0
    assert screen.count("[y/N]: ") == 1
    assert screen.index("Connecting writes these files") < screen.index("Write this?")
    assert "Connected Claude Code and Codex." in screen
    assert (home / ".claude/skills/metier").is_symlink()


def test_a_person_who_says_no_gets_the_workspace_and_nothing_else(tmp_path: Path) -> None:
    home, project = made_home(tmp_path)
    before = {path: what for path, what in picture(home).items() if not path.startswith(".config")}
    code, screen = answered(project, "n", "init")
    assert code == 0
    assert "Nothing was written. To connect: metier connect" in screen
    assert (project / ".metier/workspace").is_file()
    after = {path: what for path, what in picture(home).items() if not path.startswith(".config")}
    assert after == before
