"""What of the project a fact rests on."""

from __future__ import annotations

import pytest

from metier.learning.lessons.vetting import citation_of

FILES = {
    "package.json": '{"scripts": {"test": "x", "lint:all": "y"}}',
    "Makefile": "test:\n\tpytest\n",
    "mix.exs": "x",
    "scripts/check.sh": "x",
    ".pre-commit-config.yaml": "repos: []",
}


@pytest.mark.parametrize(
    ("command", "file", "says"),
    [
        ("npm test", "package.json", '"test"'),
        ("bun run lint:all --fix", "package.json", '"lint:all"'),
        ("make test", "Makefile", "test:"),
        ("make -j4 test", "Makefile", "test:"),
        ("mix test", "mix.exs", ""),
        ("./scripts/check.sh --all", "scripts/check.sh", ""),
        ("source .venv/bin/activate && pre-commit run --all-files", ".pre-commit-config.yaml", ""),
    ],
)
def test_a_fact_cites_the_script_target_or_file_of_its_command(command: str, file: str, says: str) -> None:
    found = citation_of(f"Run it with `{command}`.", lambda name: FILES.get(name, ""))
    assert found is not None
    assert (found.file, found.says) == (file, says)


@pytest.mark.parametrize("command", ["npm run build", "make lint", "pytest", "cargo test", "make"])
def test_what_the_project_does_not_say_is_not_cited(command: str) -> None:
    assert citation_of(f"Run it with `{command}`.", lambda name: FILES.get(name, "")) is None


def test_a_line_without_a_command_cites_nothing() -> None:
    assert citation_of("Be kind.", lambda _: "x") is None
