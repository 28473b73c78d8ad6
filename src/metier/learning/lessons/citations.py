"""What of the project's own files a fact rests on: the script, target or file that its command names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from metier.types.lessons import LessonCitation

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_COMMAND = re.compile(r"`([^`]+)`")
_SCRIPTS = frozenset(("npm", "pnpm", "yarn", "bun"))
_TARGETS = {
    "make": ("Makefile", "{}:"),
    "just": ("justfile", "{}"),
    "task": ("Taskfile.yml", "{}:"),
    "rake": ("Rakefile", "{}"),
    "tox": ("tox.ini", ""),
    "nox": ("noxfile.py", ""),
    "pre-commit": (".pre-commit-config.yaml", ""),
}
"""Programs whose first word stands in a file of the project, and how it stands there."""
_PROJECTS = {
    "cargo": "Cargo.toml",
    "go": "go.mod",
    "mix": "mix.exs",
    "bundle": "Gemfile",
    "composer": "composer.json",
    "poetry": "pyproject.toml",
    "pdm": "pyproject.toml",
    "hatch": "pyproject.toml",
    "mvn": "pom.xml",
    "deno": "deno.json",
}
"""Programs that need a file of the project."""
_FILE = re.compile(r"(?:\./)?[\w.-]+(?:/[\w.-]+)+|(?:\./)[\w.-]+|[\w-]+\.(?:py|sh|js|mjs|ts|rb|exs?)")


def citation_of(line: str, read: Callable[[str], str]) -> LessonCitation | None:
    """What a fact's line rests on; None: no file of the project says it. `read` gives a file's text, empty: none."""
    found = _COMMAND.search(line)
    return next((one for one in _candidates(found[1].split()) if _says(one, read)), None) if found else None


def _candidates(words: Sequence[str]) -> list[LessonCitation]:
    """What a command may rest on, the most telling first."""
    found: list[LessonCitation] = []
    for at, word in enumerate(words):
        rest = [one for one in words[at + 1 :] if not one.startswith("-")]
        if word in _SCRIPTS and rest:
            name = rest[1] if rest[0] == "run" and len(rest) > 1 else rest[0]
            found.append(LessonCitation(file="package.json", says=f'"{name}"'))
        elif word in _TARGETS and (rest or not _TARGETS[word][1]):
            file, shape = _TARGETS[word]
            found.append(LessonCitation(file=file, says=shape.format(*rest[:1])))
        elif word in _PROJECTS:
            found.append(LessonCitation(file=_PROJECTS[word]))
        elif _FILE.fullmatch(word):
            found.append(LessonCitation(file=word.removeprefix("./")))
    return sorted(found, key=lambda one: not one.says)


def _says(citation: LessonCitation, read: Callable[[str], str]) -> bool:
    text = read(citation.file)
    return bool(text) and citation.says in text
