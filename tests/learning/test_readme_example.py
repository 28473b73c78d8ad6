"""The example of README, run three times, leads to what README promises."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from metier.workspace import Workspace

if TYPE_CHECKING:
    import pytest

README = Path(__file__).parents[2] / "README.md"


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
