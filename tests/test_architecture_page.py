"""The architecture page leads to files and functions that exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import metier

SOURCE = Path(metier.__file__).parent
PAGE = Path(__file__).parents[1] / "docs" / "design" / "architecture.md"
STEPS = re.findall(r"^\d+\. `([\w/]+\.py)` `(\w+)`", PAGE.read_text(encoding="utf-8"), re.MULTILINE)


def test_five_journeys_of_ten_lines_each() -> None:
    assert len(STEPS) == 50


@pytest.mark.parametrize(("file", "name"), STEPS)
def test_every_step_of_a_journey_is_there(file: str, name: str) -> None:
    tree = ast.parse((SOURCE / file).read_text(encoding="utf-8"))
    assert name in {getattr(node, "name", "") for node in tree.body}


def test_every_folder_and_file_it_names_is_there() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for path in re.findall(r"`((?:[a-z_]+/)+(?:[a-z_]+\.py)?)`", text):
        assert (SOURCE / path).exists() or (PAGE.parents[2] / path).exists(), path
