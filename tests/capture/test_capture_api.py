"""What `metier.capture` exports for people who write a source."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

from metier import capture

REPOSITORY = Path(__file__).parents[2]


@pytest.mark.parametrize("name", capture.__all__)
def test_every_exported_name_exists_and_is_documented(name: str) -> None:
    found = getattr(capture, name)
    assert name == "Found" or inspect.getdoc(found)
    assert name in dir(capture)


def test_an_unknown_name_is_an_attribute_error() -> None:
    assert sorted(capture.__all__) == capture.__all__
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = capture.nonsense  # pyright: ignore[reportAttributeAccessIssue]


def test_importing_the_folder_loads_no_source() -> None:
    code = "import sys, metier.capture; print([name for name in sys.modules if name.startswith('metier.capture.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_guide_and_the_examples_import_nothing_deeper() -> None:
    blocks = re.findall(r"```python\n(.*?)```", (REPOSITORY / "docs" / "capture.md").read_text(), re.DOTALL)
    examples = [file.read_text() for file in (REPOSITORY / "examples").rglob("*.py")]
    for code in (*blocks, *examples):
        modules = [node.module or "" for node in ast.walk(ast.parse(code)) if isinstance(node, ast.ImportFrom)]
        assert not [module for module in modules if module.startswith("metier.capture.")]
