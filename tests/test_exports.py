"""What each folder exports for users' code, and that documents and examples need nothing deeper."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import metier

REPOSITORY = Path(__file__).parents[1]
SOURCE = Path(metier.__file__).parent
EXPORTING = ("capture", "models", "selection", "training")
NAMES = [(folder, name) for folder in EXPORTING for name in import_module(f"metier.{folder}").__all__]
DOCUMENTS = sorted([*(REPOSITORY / "docs").rglob("*.md"), *REPOSITORY.glob("*.md")])


@pytest.mark.parametrize(("folder", "name"), NAMES)
def test_every_exported_name_exists_and_is_documented(folder: str, name: str) -> None:
    exporting = import_module(f"metier.{folder}")
    found = getattr(exporting, name)
    assert name in dir(exporting)
    if inspect.isclass(found) or inspect.isfunction(found):
        assert inspect.getdoc(found)


@pytest.mark.parametrize(("folder", "name"), NAMES)
def test_no_exported_name_is_also_a_modules(folder: str, name: str) -> None:
    """Else it would be the module once somebody has imported that."""
    assert not (SOURCE / folder / f"{name}.py").exists()
    assert not (SOURCE / folder / name).exists()


@pytest.mark.parametrize("folder", EXPORTING)
def test_exports_are_in_order_and_nothing_else_is_exported(folder: str) -> None:
    exporting = import_module(f"metier.{folder}")
    assert sorted(exporting.__all__) == exporting.__all__
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = exporting.nonsense


@pytest.mark.parametrize("folder", EXPORTING)
def test_importing_a_folder_loads_nothing_of_it(folder: str) -> None:
    code = f"import sys, metier.{folder}; print([name for name in sys.modules if name.startswith('metier.{folder}.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"


def imported(code: str) -> list[str]:
    """The modules of Metier that some code imports; a name that its folder exports counts as the folder."""
    found: list[str] = []
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and (module := node.module or "").split(".")[0] == "metier":
            public = getattr(import_module(module), "__all__", ())
            found += [module if alias.name in public else f"{module}.{alias.name}" for alias in node.names]
    return [name for name in found if name.split(".")[0] == "metier"]


def blocks() -> list[tuple[str, str]]:
    """The Python of the examples and of every document."""
    found = [(file.name, file.read_text(encoding="utf-8")) for file in sorted((REPOSITORY / "examples").rglob("*.py"))]
    for file in DOCUMENTS:
        text = file.read_text(encoding="utf-8")
        found += [(file.name, block) for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL)]
    return found


@pytest.mark.parametrize(("file", "code"), blocks())
def test_documents_and_examples_import_nothing_deeper_than_a_folder(file: str, code: str) -> None:
    deep = [name for name in imported(code) if name.count(".") > 1]
    assert deep == [], f"{file}: export these names from their folder"
