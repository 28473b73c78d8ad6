"""What docs/training.md shows works."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from metier.training.cases.read import read_cases
from metier.training.scoring.registry import KINDS
from metier.training.targets.known_agents import AGENTS

PAGE = (Path(__file__).parents[2] / "docs" / "training.md").read_text(encoding="utf-8")
OURS = PAGE[PAGE.index("## Cases") :]
BLOCKS = re.findall(r"```python\n(.*?)```", OURS, re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS)
def test_the_python_of_the_page_runs_and_prints_what_it_says(block: str, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(block, "docs/training.md", "exec"), {"__name__": "docs_training"})
    promised = re.findall(r"^print\(.*\)  # (.*)$", block, re.MULTILINE)
    printed = capsys.readouterr().out.splitlines()
    assert len(promised) == len(printed)
    for text, line in zip(promised, printed, strict=True):
        assert line.startswith(text.split("…")[0])


def test_the_case_of_the_page_is_one() -> None:
    (block,) = re.findall(r"```json\n(.*?)```", OURS[: OURS.index("## Scorers")], re.DOTALL)
    assert read_cases(block)[0].files == (("server.toml", "port = 8080\n"),)


def test_every_kind_of_scorer_with_all_its_settings_and_every_known_agent_is_on_the_page() -> None:
    for kind, known in KINDS.items():
        row = next((line for line in OURS.splitlines() if line.startswith(f"| `{kind}` |")), "")
        assert row, f"docs/training.md, the table of scorers, has no row that begins with | `{kind}` |"
        missing = [setting for setting in known.fields if f"`{setting}`" not in row]
        assert missing == [], f"docs/training.md: the row of `{kind}` does not name these settings"
    assert [name for name in AGENTS if f"| `{name}` |" not in OURS] == [], (
        "docs/training.md has no row for these agents"
    )
