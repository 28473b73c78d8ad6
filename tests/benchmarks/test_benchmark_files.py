"""The benchmarks are in order: each is run by `make bench`, names its peer or limit, and has its place on the page."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import run as RUN  # noqa: N812 - benchmarks/run.py

ROOT = Path(__file__).parents[2]
FOLDER, PAGE = ROOT / "benchmarks", ROOT / "docs" / "benchmarks.md"


FILES = [one.file for one in RUN.BENCHMARKS]


def test_every_program_in_the_folder_is_a_benchmark_or_says_what_else_it_is() -> None:
    programs = [file for file in FOLDER.rglob("*.py") if '__name__ == "__main__"' in file.read_text("utf-8")]
    assert sorted(str(file.relative_to(FOLDER)) for file in programs) == sorted([*FILES, *RUN.TOOLS])


@pytest.mark.parametrize("file", FILES)
def test_a_benchmark_names_its_peer_or_its_limit_and_how_it_is_run(file: str) -> None:
    text = ast.get_docstring(ast.parse((FOLDER / file).read_text("utf-8"))) or ""
    assert re.search(r"\b(?:peers?|limits?|against)\b", text, re.IGNORECASE)
    assert f"python benchmarks/{file}" in text


@pytest.mark.parametrize("file", FILES)
def test_a_benchmark_is_on_the_page(file: str) -> None:
    assert f"`{file}" in PAGE.read_text("utf-8") or f"benchmarks/{file}" in PAGE.read_text("utf-8")


def test_the_page_names_only_files_that_exist_and_has_a_place_for_the_whole_run() -> None:
    text = PAGE.read_text("utf-8")
    named = set(re.findall(r"`(?:python benchmarks/)?([a-z_]+/[a-z_]+\.py)", text))
    assert [name for name in named if not (FOLDER / name).exists()] == []
    assert RUN.PLACE.search(text)


def test_no_folder_has_three_files_with_one_first_word() -> None:
    for folder in (one for one in FOLDER.rglob("*") if one.is_dir() and one.name != "__pycache__"):
        first = [file.stem.partition("_")[0] for file in folder.glob("*.py") if "_" in file.stem]
        assert [word for word in set(first) if first.count(word) > 2] == [], folder


def test_what_a_run_came_to_is_one_table() -> None:
    chosen = [RUN.Bench("agents/startup.py"), RUN.Bench("real_model/real_model.py", needs="intents")]
    went = {"agents/startup.py": RUN.Went(codes=[0, 1], cpu=[1.0, 2.0]), "real_model/real_model.py": RUN.Went()}
    table = RUN.table_of(chosen, went, [0.01, 0.01, 0.02])
    assert "| `agents/startup.py` | holds, broken | 1.0 to 2.0 | 2 |" in table
    assert "| `real_model/real_model.py` | no data (intents) |  | 0 |" in table


def test_every_part_of_the_page_names_the_program_that_its_figures_come_from() -> None:
    parts = re.split(r"^## ", PAGE.read_text("utf-8"), flags=re.MULTILINE)[1:]
    heads = {part.partition("\n")[0]: part for part in parts}
    named = {head: re.findall(r"`([a-z_]+/[a-z_]+\.py)", head) for head in heads}
    assert [head for head, files in named.items() if not files] == []
    assert [file for files in named.values() for file in files if not (FOLDER / file).exists()] == []
