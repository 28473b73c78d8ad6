"""The page on selection tells the truth."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

from metier.selection.assembly.render import FORMS
from metier.selection.types import SelectionSettings

PAGE = (Path(__file__).parents[3] / "docs" / "selection.md").read_text(encoding="utf-8")


def test_the_example_runs() -> None:
    examples = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert len(examples) == 1
    exec(compile(examples[0], "selection.md", "exec"), {})


def test_every_setting_is_on_the_page_with_its_default() -> None:
    for field in fields(SelectionSettings):
        rows = [line.split("|") for line in PAGE.splitlines() if line.startswith("|")]
        said = next(row[2] for row in rows if f"`{field.name}`" in row[1]).strip()
        assert said.removesuffix(" s").replace(",", "") == (
            "none" if field.default is None else f"{field.default:g}"
        ), field.name


def test_every_form_is_on_the_page() -> None:
    for form in FORMS:
        assert f"| `{form}` |" in PAGE
