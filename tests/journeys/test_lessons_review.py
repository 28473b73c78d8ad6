"""Lessons one by one in a terminal."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from typing import TYPE_CHECKING

from sessions import failed, ran, said

from metier.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

CALLS = (
    failed("tool pr", "error: either --session or --path must be provided"),
    ran("tool pr --path ."),
    ran("npm test"),
    ran("npm run lint"),
)


def test_a_person_says_yes_no_and_later_with_one_key_each(tmp_path: Path) -> None:
    with Workspace.open(tmp_path) as ws:
        ws.deliver([said(f"open pull request {name}", *CALLS, session=name) for name in "ab"])
        ws.learn()
        first, second, third = ws.lessons()
    main, side = pty.openpty()
    os.write(main, b"x\ny\ny\nd\nn\nl\n")
    done = subprocess.run(
        [sys.executable, "-m", "metier", "lessons", "review"],
        cwd=tmp_path,
        stdin=side,
        capture_output=True,
        text=True,
        timeout=30,
    )
    os.close(main)
    os.close(side)
    assert done.returncode == 0, done.stderr
    assert "1 of 3" in done.stdout
    assert f"Undo: metier lessons forget {first.id[:8]}" in done.stderr
    assert f"Undo: metier lessons approve {second.id[:8]}" in done.stderr
    assert done.stderr.count("Nothing was decided.") == 2, "a wrong key is asked for again, at both questions"
    assert "There is no key 'x'." in done.stderr
    assert "From now on a call that violates it is denied, with the reason: `tool pr` needs" in done.stderr
    assert "`tool pr` needs `--session` or `--path`" in done.stdout
    with Workspace.open(tmp_path) as ws:
        assert [one.check.step for one in ws.lessons() if one.id == first.id and one.check] == ["deny"]
        assert {one.id: one.status for one in ws.lessons(every=True)} == {
            first.id: "approved",
            second.id: "rejected",
            third.id: "proposed",
        }
