"""What a proposed lesson is held against: review, the rules it would break, what the project's pages say already."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from metier.learning.lessons.session.commands import is_destructive
from metier.redaction import MARK
from metier.review.review import review_line
from metier.text.shell.contradictions import forbidding_rule
from metier.text.words import stems_of
from metier.types.lessons import LessonCitation

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from metier.types.lessons import Lesson

LONGEST = 420
"""Characters of a lesson."""
_HARNESS = re.compile(
    r"\[Request interrupted|</?(?:command|local-command|tool_use_error|system-reminder|task-notification|"
    r"bash-)|toolu_\w+|"
    r"/tmp/claude|ctrl\+\w to |\[\.\.\. cut|Sibling tool call|<persisted-output>|This session is being continued",
    re.IGNORECASE,
)
"""Marks of the programs around an agent: no words of a person, no error of the work."""
_QUOTED = re.compile(r"“([^”]+)”")
_COMMAND = re.compile(r"`([^`]+)`")


def may_be_shown(lesson: Lesson) -> bool:
    """Whether a lesson may be put before a person."""
    text = lesson.text
    if len(text) > LONGEST or _HARNESS.search(text) or MARK.search(text) or not text.isprintable():
        return False
    if lesson.kind != "rule" and any(map(is_destructive, _COMMAND.findall(text))):
        return False
    said = [text, *_QUOTED.findall(text)]  # an order is no better for standing in quotes: an output wrote it
    return all(review_line(one).status != "quarantined" for one in said)


def without_contradictions(lessons: Sequence[Lesson]) -> list[Lesson]:
    """The lessons without proposed fixes and facts that a rule forbids, whether it is approved or only proposed."""
    rules = [one for one in lessons if one.status in ("approved", "proposed")]
    return [one for one in lessons if one.status != "proposed" or forbidding_rule(rules, one) is None]


PAGES = (
    "CLAUDE.md",
    "AGENTS.md",
    "GEMINI.md",
    ".cursorrules",
    "README.md",
    "CONTRIBUTING.md",
    "Makefile",
    "justfile",
    "package.json",
)
"""Files in which a project says how it is worked on; an agent reads most of them by itself."""
ALIKE = 0.7
"""Share of a rule's words that a line must hold to say the same."""
LEAST = 3
"""Words that a rule needs for that."""


def written_where(lesson: Lesson, pages: Mapping[str, str]) -> str:
    """Where the project says a lesson already, as `file:line`; empty: nowhere."""
    for page, text in pages.items():
        for number, line in enumerate(text.splitlines(), start=1):
            if _says(line, lesson):
                return f"{page}:{number}"
    return ""


def _says(line: str, lesson: Lesson) -> bool:
    if lesson.kind == "rule":
        mine = stems_of(lesson.text)
        return len(mine) >= LEAST and len(mine & stems_of(line)) >= ALIKE * len(mine)
    commands = _COMMAND.findall(lesson.text)
    if lesson.kind == "fix":
        return len(commands) > 1 and commands[-1] in line and commands[0].split()[0] in line
    return any(command in " ".join(line.split()) for command in commands)


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
    return next((one for one in _candidates(found[1].split()) if _is_cited(one, read)), None) if found else None


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


def _is_cited(citation: LessonCitation, read: Callable[[str], str]) -> bool:
    text = read(citation.file)
    return bool(text) and citation.says in text
