"""What the training page says about settings and Python is so."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

from metier.training.presets import spec_of
from metier.training.spec import Spec

if TYPE_CHECKING:
    import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "training.md").read_text(encoding="utf-8")


def test_every_setting_is_on_the_page_with_its_value_in_both_presets() -> None:
    table = PAGE[PAGE.index("## Settings") :]
    rows = re.findall(r"^\| `(\w+)` \| *`?([^`|]*?)`? *\| *`?([^`|]*?)`? *\|", table, re.MULTILINE)
    classic, default = written(Spec()), written(spec_of("default"))
    assert {name: value for name, value, _ in rows} == classic
    assert {name: value for name, _, value in rows if value} == dict(default.items() - classic.items())


def written(spec: Spec) -> dict[str, str]:
    """The settings as the page writes them."""
    said = {name: value if isinstance(value, str) else json.dumps(value) for name, value in spec.settings().items()}
    return {name: "" if value == "null" else value for name, value in said.items()}


def test_the_quick_start_in_python_runs_and_prints_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (block,) = re.findall(r"```python\n(.*?)```", PAGE[: PAGE.index("## Cases")], re.DOTALL)
    exec(compile(block, "docs/training.md", "exec"), {"__name__": "docs_quick_start"})
    promised = re.findall(r"^ *print\(.*\)  # (.*)$", block, re.MULTILINE)
    printed = capsys.readouterr().out.splitlines()
    assert [line.startswith(text.split(" …")[0]) for text, line in zip(promised, printed, strict=True)] == [True] * 2
