"""Lessons one by one in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import forked
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
WORD = "provided"
"""The longest word of the first proposal."""


def test_a_person_says_yes_no_and_later_with_a_word_or_a_key_each(tmp_path: Path) -> None:
    with Workspace.open(tmp_path) as ws:
        ws.deliver([said(f"open pull request {name}", *CALLS, session=name) for name in "ab"])
        ws.learn()
        first, second, third = ws.lessons()
    done = forked.typed("lessons", "review", cwd=tmp_path, keys=f"y\n{WORD}\ny\nd\nn\nl\n")
    assert done.returncode == 0, done.stderr
    assert "1 of 3" in done.stdout
    assert f"Undo: metier lessons forget {first.id[:8]}" in done.stderr
    assert f"Undo: metier lessons approve {second.id[:8]}" in done.stderr
    assert done.stderr.count("Nothing was decided.") == 2, "a wrong key is asked for again, at both questions"
    assert "There is no key 'y'." in done.stderr, "yes takes the word of the card"
    assert "From now on a call that violates it is denied, with the reason: `tool pr` needs" in done.stderr
    assert "`tool pr` needs `--session` or `--path`" in done.stdout
    with Workspace.open(tmp_path) as ws:
        assert [one.check.step for one in ws.lessons() if one.id == first.id and one.check] == ["deny"]
        assert {one.id: one.status for one in ws.lessons(every=True)} == {
            first.id: "approved",
            second.id: "rejected",
            third.id: "proposed",
        }
