"""The documents tell the truth: every command is in the reference, every example runs."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import forked
import pytest
from terminal import DECIDING, Person

from metier.cli.app import COMMANDS
from metier.cli.reference import reference
from metier.config import PARSERS, variable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ROOT = Path(__file__).parent.parent
SHAPES = ROOT / "src" / "metier" / "cli" / "shapes.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
RUN_ELSEWHERE = {
    "capture.md": "a source for the package: tests/recipes/test_add_a_source.py puts it there",
    "extend.md": "parts for the package: tests/recipes/test_add_a_part.py puts them there",
}
"""Pages whose Python is run by other tests, and by which."""
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(page: Path, kind: str) -> list[str]:
    return [text for name, text in BLOCK.findall(page.read_text(encoding="utf-8")) if name == kind]


def having(kind: str, but: Iterable[str] = ()) -> list[Path]:
    """The pages with such blocks."""
    return [page for page in PAGES if blocks(page, kind) and page.name not in but]


def environment(folder: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("METIER_")}
    path = f"{Path(sys.executable).parent}{os.pathsep}{kept['PATH']}"
    return kept | {"PATH": path, "HOME": str(folder), "NO_COLOR": "1"}


def in_a_shell(line: str, folder: Path, environ: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """What a shell makes of a line; a command with plain words needs none."""
    command, _, file = line.partition(" > ")
    if line.startswith("metier ") and not set(f"{command}{file}") & set("|<>$;&*`\\"):
        done = forked.metier(*shlex.split(command)[1:], cwd=folder, env=environ)
        if file:
            (folder / file).write_text(done.stdout, encoding="utf-8")
        return done
    if any(f"metier {' '.join(words)} " in line for words in DECIDING):
        with Person() as person, open(person.tty, "r+b", 0) as tty, open(person.errors, "r+b", 0) as errors:
            streams = {"stdin": tty, "stdout": tty, "stderr": errors}
            code = subprocess.run(["bash", "-c", line], cwd=folder, env=environ, timeout=60, **streams).returncode
        return subprocess.CompletedProcess(line, code, person.out, person.err)
    return subprocess.run(["bash", "-c", line], cwd=folder, env=environ, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("command", list(COMMANDS))
def test_every_command_is_documented_with_an_example(command: str) -> None:
    text = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    assert f"\n## metier {command}\n" in text, f"docs/cli.md has no metier {command}: run make docs"
    done = forked.metier(command, "--help", cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert "Example" in done.stdout or "Commands:" in done.stdout


def commands_with_json() -> list[str]:
    """The commands that take --json, as their help says."""
    page = reference().partition("## Machine-readable shapes")[0]
    parts = re.findall(r"^#{2,4} (metier .*?)$(.*?)(?=^#{2,4} metier |\Z)", page, re.MULTILINE | re.DOTALL)
    return [name for name, text in parts if "`--json`" in text]


def described_commands(page: str) -> Iterator[str]:
    """The commands in the headings of a page: `### metier runs list, show --json` has two."""
    for heading in re.findall(r"^### (.*)$", page, re.MULTILINE):
        group = ""
        for part in heading.split(", "):
            name = part.removesuffix(" --json")
            name = name if name.startswith("metier ") else f"{group} {name}"
            group = name.rpartition(" ")[0]
            yield name


def test_the_json_of_every_command_is_described() -> None:
    described = set(described_commands(SHAPES.read_text(encoding="utf-8")))
    missing = [name for name in commands_with_json() if name not in described]
    assert missing == [], f"{SHAPES.relative_to(ROOT)} needs a heading for each, such as: ### {missing[0]} --json"


@pytest.mark.parametrize("page", having("console"), ids=lambda page: page.name)
def test_every_console_example_runs(page: Path, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    lines = [
        line.removeprefix("$ ")
        for text in blocks(page, "console")
        for line in text.splitlines()
        if line.startswith("$ ")
    ]
    assert lines
    for line in lines:
        done = in_a_shell(line, folder, environment(tmp_path))
        assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"


@pytest.mark.parametrize("page", having("python", but=RUN_ELSEWHERE), ids=lambda page: page.name)
def test_every_python_example_runs(page: Path, tmp_path: Path) -> None:
    for number, text in enumerate(blocks(page, "python")):
        folder = tmp_path / str(number)
        folder.mkdir()
        done = subprocess.run(
            [sys.executable, "-c", text],
            cwd=folder,
            env=environment(tmp_path),
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, f"{text}\n{done.stderr}"


@pytest.mark.parametrize("script", sorted((ROOT / "examples").glob("*.py")), ids=lambda script: script.name)
def test_every_example_script_runs_and_is_short(script: Path, tmp_path: Path) -> None:
    assert len(script.read_text(encoding="utf-8").splitlines()) <= 40
    done = forked.run([sys.executable, str(script)], cwd=tmp_path, env=environment(tmp_path))
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_every_setting_is_documented() -> None:
    text = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    for name in PARSERS:
        assert f"`{name}`" in text, name
        assert variable(name) in text, name


def test_every_noun_is_in_the_glossary() -> None:
    text = (ROOT / "docs" / "concepts.md").read_text(encoding="utf-8").lower()
    nouns = (
        "run record delivery session origin verdict pattern draft finding edit patch skill version profile case",
        "rollout score gate decision selection event spool redaction workspace store migration memo audit",
    )
    for noun in " ".join(nouns).split():
        assert f"**{noun}" in text, noun


def test_every_family_of_review_rules_is_on_the_security_page() -> None:
    from metier.review.rules.catalogue import FAMILIES

    text = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    for family in (*FAMILIES, "layers"):
        assert f"| `{family}` |" in text, family


def test_every_promise_of_the_security_page_names_a_file_and_a_test_that_are_there() -> None:
    page = (ROOT / "docs/security.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| [^|]+ \| `([\w./-]+)` \| `(test_\w+)` \|$", page, re.MULTILINE)
    tests = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "tests").rglob("test_*.py"))
    assert len(rows) > 12
    assert [name for name, _ in rows if not (ROOT / "src/metier" / name).is_file()] == []
    assert [name for _, name in rows if f"def {name}(" not in tests] == []
