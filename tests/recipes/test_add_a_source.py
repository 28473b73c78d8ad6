"""The recipe "A source of runs" works to the letter: one new file and one line in a copy of the package."""

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

REPOSITORY = Path(__file__).parents[2]
GUIDE = (REPOSITORY / "docs" / "capture.md").read_text(encoding="utf-8").partition("## Add a source")[2]
LOG = [
    {"who": "user", "said": "hi", "at": "2026-01-01T00:00:00Z"},
    {"who": "bot", "said": "hello"},
    {"who": "user", "said": "no, that is wrong", "at": "2026-01-01T00:01:00Z"},
    {"who": "bot", "said": "sorry"},
]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the package, with the guide's file and the guide's line added."""
    package = package_copy.copy_package(tmp_path / "src")
    (template,) = re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL)
    (line,) = re.findall(r"```text\n(.*?)```", GUIDE, re.DOTALL)
    (file,) = re.findall(r"`src/metier/(capture/others/chatter\.py)`", GUIDE)
    (package / file).write_text(template, encoding="utf-8")
    package_copy.insert_line(package / "capture" / "registry.py", "BUILT_IN", line)
    return package.parent


def run_metier(copy: Path, *arguments: str, home: Path) -> str:
    environ = {**os.environ, "PYTHONPATH": str(copy), "HOME": str(home)}
    command = [sys.executable, "-m", "metier", *arguments]
    done = subprocess.run(command, cwd=home, env=environ, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_new_source_takes_one_file_and_one_line(copy: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    log = home / ".chatter" / "log.jsonl"
    log.parent.mkdir(parents=True)
    log.write_text("".join(json.dumps(record) + "\n" for record in LOG) + "{broken\n")
    report: dict[str, Any] = json.loads(run_metier(copy, "import", "chatter", str(log), "--json", home=home))
    assert (report["new"], report["sessions"][0]["source"]) == (2, "chatter")
    assert [(skip["line"], skip["reason"].split(":")[0]) for skip in report["skipped"]] == [(5, "not JSON")]
    shown: list[dict[str, Any]] = json.loads(run_metier(copy, "runs", "list", "--json", home=home))
    assert {run["summary"] for run in shown} == {"hi", "no, that is wrong"}
    assert "chatter" in run_metier(copy, "import", "--help", home=home)
    again: dict[str, Any] = json.loads(run_metier(copy, "import", "--everywhere", "--yes", "--json", home=home))
    assert [session["source"] for session in again["sessions"]] == ["chatter"]


def test_the_sample_of_the_guide_is_cut_and_damaged_like_the_others(copy: Path, tmp_path: Path) -> None:
    (sample,) = re.findall(r"```py\n(.*?)```", GUIDE, re.DOTALL)
    code = (REPOSITORY / "tests" / "capture" / "test_damage.py").read_text(encoding="utf-8")
    test = tmp_path / "test_damage.py"
    test.write_text(code.replace("SAMPLES = {\n", f"SAMPLES = {{\n{sample}", 1), encoding="utf-8")
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join([str(copy), str(REPOSITORY / "tests" / "support")])}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "chatter", "-n", "0"]
    options = ["-c", str(REPOSITORY / "pyproject.toml"), f"--rootdir={tmp_path}", "-m", "not slow"]
    done = subprocess.run(
        [*command, *options, str(test)], cwd=tmp_path, env=environ, capture_output=True, text=True, timeout=110
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "5 passed" in done.stdout


def test_the_template_passes_the_linter(copy: Path) -> None:
    file = copy / "metier" / "capture" / "others" / "chatter.py"
    command = [sys.executable, "-m", "ruff", "check", "--no-cache", "--config", str(REPOSITORY / "pyproject.toml")]
    done = subprocess.run([*command, str(file)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout


def test_the_guide_and_contributing_name_the_same_places() -> None:
    contributing = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (paragraph,) = re.findall(r"\*\*A source of runs\.\*\*(.*?)\n\n", contributing, re.DOTALL)
    for place in ("src/metier/capture/others/", "src/metier/capture/registry.py", "BUILT_IN"):
        assert place in paragraph
        assert place in GUIDE
