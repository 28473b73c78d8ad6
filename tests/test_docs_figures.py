"""Figures in the documents: beside each stands the benchmark that prints it, with options that this one knows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import write_reference

from metier.capture.registry import BUILT_IN

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
BENCHMARKS = DOCS / "benchmarks.md"
PAGES = [ROOT / "README.md", *(page for page in sorted(DOCS.rglob("*.md")) if page.name not in write_reference.PAGES)]
FENCE = re.compile(r"^```.*?^```\n", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"`(?:python )?(?:benchmarks/)?((?:\w+/)*\w+\.py)\b([^`]*)`")
FIGURE = re.compile(
    r"\d ?(?:ms|µs|%|×|x|times|[KMG]B|[KMG]B/s)(?!\w)|\d (?:s of CPU|a second|a minute)\b|\bp95\b|\d of \d{2,}"
)
"""What a measured figure looks like. Limits of sizes are in KiB, MiB and GiB, which it does not take for one."""
NOT_MEASURED = {
    "a line over 1 MB ends reading": "a limit of another program",
    "that ends without reading its input (100 KB)": "what a test hands over",
    "200,000: 2.3 a second on average": "worked out from the figures above it, which name their benchmark",
    "A year of lines of 200,000 runs": "worked out from what is assumed there",
    "database: 8 cores, 32 GB": "what machines are assumed to cost",
    "a team of 20 people": "machines that we advise",
    "members, 100 times": "a limit of archives",
    "whose worker dies, 20 times": "how often a job is tried",
    "*Surely* is a 99 % interval": "a level that is set in the code",
    "A usual interval of 95 %": "levels that are set in the code",
    "Wilson intervals that hold the truth in 95 of 100": "the level of all intervals there",
    "| p50, p95 |": "what a command prints",
    "1.5 times the dearest one": "what is reserved before an attempt",
    "(under 5 KB with Claude Code and Codex)": "held by tests/agents/test_agents_as_targets.py",
}
"""Parts of paragraphs with a number of that form which nobody measured, and what it is."""

NUMBERS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)


def paragraphs(page: Path) -> list[str]:
    """The paragraphs of a page; a table belongs to the one before it."""
    return re.sub(r"\n\n(?=\|)", "\n", FENCE.sub("", page.read_text("utf-8"))).split("\n\n")


def problem_of(file: str, options: str) -> str:
    """What is wrong with a command: no such benchmark, or an option that does not stand in it."""
    path = ROOT / "benchmarks" / file
    if not path.is_file():
        return f"no benchmark {file}"
    unknown = [one for one in re.findall(r"--[a-z-]+", options) if f'"{one}"' not in path.read_text("utf-8")]
    return f"{file} has no {', '.join(unknown)}" if unknown else ""


def test_every_section_of_the_benchmarks_names_the_file_that_prints_its_figures() -> None:
    headings = re.findall(r"^##+ (.+)$", BENCHMARKS.read_text("utf-8"), re.MULTILINE)
    for heading in headings:
        files = [file for file, _ in COMMAND.findall(heading)]
        alone = re.findall(r"`(--[a-z-]+)", heading)
        assert files, heading
        assert all(any(not problem_of(file, option) for file in files) for option in alone), heading


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_benchmark_that_a_page_names_exists_with_its_options(page: Path) -> None:
    found = [one for one in COMMAND.finditer(page.read_text("utf-8")) if page == BENCHMARKS or "benchmarks/" in one[0]]
    assert [problem for one in found if (problem := problem_of(one[1], one[2]))] == []


@pytest.mark.parametrize("page", [page for page in PAGES if page != BENCHMARKS], ids=lambda page: page.name)
def test_a_measured_figure_stands_beside_its_benchmark(page: Path) -> None:
    named = ("benchmarks/", "benchmarks.md", *NOT_MEASURED)
    assert [one for one in paragraphs(page) if FIGURE.search(one) and not any(word in one for word in named)] == []


def test_no_exception_is_left_over() -> None:
    whole = "\n\n".join(page.read_text("utf-8") for page in PAGES)
    assert [part for part in NOT_MEASURED if part not in whole] == []


def test_the_counts_of_formats_are_those_of_the_code() -> None:
    real = re.findall(r"^\|.+\| (?:OTLP/JSON: )?real ", (DOCS / "capture.md").read_text("utf-8"), re.MULTILINE)
    said = f"[{NUMBERS[len(BUILT_IN)]} formats](docs/capture.md), {NUMBERS[len(real)]} tried on real files"
    why = f'README.md, in the table "Beside others", must say: {said} (BUILT_IN, and the rows of docs/capture.md)'
    assert said in (ROOT / "README.md").read_text("utf-8"), why
