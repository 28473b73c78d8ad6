"""The documentation as a site: every page once, no dead link or anchor, and every command in it exists."""

from __future__ import annotations

import re
import shlex
import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import typer
import write_reference

from metier.cli.app import app

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"`(metier [^`\n]+)`")
LINK = re.compile(r"\]\(([^)\s]+)\)")
ENDS = {"|", ">", "<", "&&", ";", "2>&1", "·", "…", "or:", "#"}
"""Where a command on a line ends."""


ROOT_COMMAND: Any = typer.main.get_command(app)


def nav_files(entries: list[Any]) -> Iterator[str]:
    for entry in entries:
        for value in entry.values():
            yield from (nav_files(value) if isinstance(value, list) else [value])


def test_the_navigation_names_every_page_once() -> None:
    nav = list(nav_files(tomllib.loads((ROOT / "zensical.toml").read_text("utf-8"))["project"]["nav"]))
    assert sorted(nav) == sorted(str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md"))


def test_the_first_page_leads_to_every_other() -> None:
    linked = {target.partition("#")[0] for target in LINK.findall((DOCS / "index.md").read_text("utf-8"))}
    missing = {str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")} - linked - {"index.md"}
    assert missing == set()


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    text = FENCE.sub("", page.read_text("utf-8"))
    found: set[str] = set()
    for title in re.findall(r"^#{1,6} +(.+?)\s*$", text, re.MULTILINE):
        plain = re.sub(r"[^\w\- ]", "", title.replace("`", "").lower()).replace(" ", "-")
        found.add(next(name for name in (plain, *(f"{plain}-{n}" for n in range(1, 99))) if name not in found))
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_and_anchor_leads_somewhere(page: Path) -> None:
    for target in LINK.findall(FENCE.sub("", page.read_text("utf-8"))):
        file, _, anchor = target.partition("#")
        if "://" in target:
            continue
        there = (page.parent / file).resolve() if file else page
        assert there.exists(), target
        if DOCS in page.parents:
            assert DOCS in there.parents, f"{target} is not part of the site"
        if anchor:
            assert anchor in anchors(there), target


@pytest.mark.parametrize("name", list(write_reference.PAGES))
def test_the_generated_pages_are_what_the_code_says(name: str) -> None:
    assert write_reference.PAGES[name]() == (DOCS / name).read_text("utf-8"), "run `make docs`"


def commands_in(text: str) -> Iterator[str]:
    """The commands of Metier in code blocks and code spans."""
    for kind, block in FENCE.findall(text):
        if kind in ("text", "sh", "console", "session"):
            for line in block.replace("\\\n", " ").splitlines():
                start = line.removeprefix("$ ")
                yield from (part.strip() for part in start.split("  ·  ") if re.match(r"metier [a-z-]", part.strip()))
    yield from SPAN.findall(FENCE.sub("", text))


def words_of(command: str) -> list[str]:
    """The words of one command, up to where another begins."""
    try:
        words = shlex.split(re.split(r"  +|\s[|<>;&#·…]|\s\(", command)[0])
    except ValueError:
        words = command.split()
    return words[1:]


def problem_of(command: str) -> str:
    """What is wrong with a command: a name or an option that does not exist."""
    found: Any = ROOT_COMMAND
    options = {*opts_of(found), "--help", "-h"}
    for word in words_of(command):
        name = word.partition("=")[0].strip("[](),.:")
        if word in ENDS:
            break
        is_option = name.startswith("-") and name != "--"
        after = None if is_option else next_command(found, name)
        if after is None and not name.startswith("-h") and (not is_option or name not in options):
            after = usual_command(found)
        if after is not None:
            found, options = after, options | set(opts_of(after))
        elif hasattr(found, "get_command") and re.fullmatch(r"[a-z][a-z-]*", name):
            return f"no command {name}"
        if name.startswith("--") and name != "--" and name not in options:
            return f"no option {name}"
    return ""


def usual_command(group: Any) -> Any:
    """What a group does with a word that is none of its commands."""
    kind = type(group).__name__
    first = kind.removesuffix("ByDefault").lower()
    return next_command(group, first) or next_command(group, "run") if kind.endswith("ByDefault") else None


@cache
def next_command(group: Any, name: str) -> Any:
    return group.get_command(typer.Context(group), name) if hasattr(group, "get_command") and name else None


def opts_of(command: Any) -> list[str]:
    return [name for one in command.params for name in (*one.opts, *one.secondary_opts)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_that_a_page_names_exists_with_its_options(page: Path) -> None:
    found = {one: problem_of(one) for one in dict.fromkeys(commands_in(page.read_text("utf-8")))}
    assert {one: problem for one, problem in found.items() if problem} == {}
