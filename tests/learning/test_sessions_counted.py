"""Lessons and drafts count sessions by one rule: a run that names no session is one of its own."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from metier.types import Run
from metier.types.runs import session_names
from metier.workspace import Workspace

if TYPE_CHECKING:
    import pytest

README = Path(__file__).parents[2] / "README.md"


def test_a_run_that_names_no_session_is_one_of_its_own() -> None:
    runs = [Run(message="a"), Run(message="b"), Run(message="c", session="x"), Run(message="d", session="x")]
    assert len(set(session_names(runs))) == 3


def test_the_readmes_example_run_three_times_gives_a_draft_and_a_lesson_that_nothing_is_against(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (code,) = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    for _ in range(3):
        exec(code, {})
    with Workspace.open(tmp_path) as ws:
        (draft,), (lesson,) = ws.drafts(), ws.lessons()
    assert (draft.findings, draft.needs_approval) == ((), False)
    assert lesson.sessions == 3
