"""The recipes of docs/extend.md work to the letter: each is one new file and one line, in a copy of the package."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import package_copy
import pytest

pytestmark = pytest.mark.xdist_group("recipes")
REPOSITORY = Path(__file__).parents[2]
GUIDE = (REPOSITORY / "docs" / "extend.md").read_text(encoding="utf-8")
RECIPES = dict(re.findall(r"^## Add a (.*?)\n(.*?)(?=^## |\Z)", GUIDE, re.DOTALL | re.MULTILINE))
LINE = re.compile(r"in `(\w+)` of `src/metier/(.*?)`.*?```text\n(.*?)```", re.DOTALL)
FILE = re.compile(r"^`src/metier/(\S+)`:\n\n```py(?:thon)?\n(.*?)```", re.DOTALL | re.MULTILINE)


def follow(recipe: str, package: Path) -> list[Path]:
    """Add what a recipe says; the new files."""
    ((table, registry, line),) = LINE.findall(recipe)
    assert line.count("\n") == 1
    package_copy.insert_line(package / registry, table, line)
    files = FILE.findall(recipe)
    for name, code in files:
        (package / name).write_text(code, encoding="utf-8")
    return [package / name for name, _ in files]


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Path]]:
    """The package with all recipes followed, and the files they added."""
    package = package_copy.copy_package(tmp_path_factory.mktemp("copy") / "src")
    added = [file for recipe in RECIPES.values() for file in follow(recipe, package)]
    shortest = (package / "models/wire/completion.py").read_text(encoding="utf-8")
    (package / "models/wire/acme.py").write_text(shortest.replace('"/completions"', '"/generate"'), encoding="utf-8")
    return package.parent, added


@pytest.fixture(scope="module")
def results(copy: tuple[Path, list[Path]], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What came of every part, used in one process."""
    home = tmp_path_factory.mktemp("home")
    path = os.pathsep.join([str(copy[0]), str(REPOSITORY / "tests" / "support")])
    command = [sys.executable, str(REPOSITORY / "tests" / "support" / "recipe_steps.py")]
    environ = {"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONPATH": path}
    done = subprocess.run(command, cwd=home, env=environ, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_every_kind_of_part_has_its_recipe() -> None:
    assert list(RECIPES) == ["scorer", "target", "gate", "model provider", "command"]


def test_a_new_scorer_scores_the_answers_of_a_new_target(results: dict[str, Any]) -> None:
    scores = results["scores"]["skill"]
    assert (scores["rollouts"], scores["completed"], scores["hard"]) == (2, 2, 0.5)


def test_a_new_gate_decides_in_a_training(results: dict[str, Any]) -> None:
    assert results["reasons"]
    assert all(re.fullmatch(r"\d+ cases better, \d+ worse", one) for one in results["reasons"])


def test_a_new_provider_is_asked_in_its_own_protocol(results: dict[str, Any]) -> None:
    assert results["reply"] == {"path": "/v1/generate", "text": "42"}


def test_a_new_command_prints_json(results: dict[str, Any]) -> None:
    assert results["runs"] == {"runs": 0}


def test_the_new_files_pass_the_linter(copy: tuple[Path, list[Path]]) -> None:
    command = [sys.executable, "-m", "ruff", "check", "--no-cache", "--config", str(REPOSITORY / "pyproject.toml")]
    done = subprocess.run(
        [*command, *map(str, copy[1])], cwd=copy[0].parent, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stdout


def test_contributing_names_the_same_places() -> None:
    contributing = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for kind, recipe in RECIPES.items():
        (paragraph,) = re.findall(rf"\*\*A {kind}\.\*\*(.*?)\n\n", contributing, re.DOTALL)
        ((table, registry, _),) = LINE.findall(recipe)
        assert f"`{table}` of `src/metier/{registry}`" in " ".join(paragraph.split())
        assert f"docs/extend.md#add-a-{kind.replace(' ', '-')}" in paragraph
